namespace NumaSharp.TestKit;

/// <summary>
/// How a kernel's files differ from those of others. In a file of facts the names are written with dashes: <c>no-cpu-lists</c>.
/// </summary>
public enum MachineQuirk
{
    /// <summary>No cpu/online, possible and present: only the CPUs' folders show them, and cpuN/online if it exists.</summary>
    NoCpuLists,

    /// <summary>The CPUs of a core or package are shown as a mask only.</summary>
    NoSiblingLists,

    /// <summary>The files of cores and packages have only their names from before Linux 5.3.</summary>
    NoCoreCpus,

    /// <summary>The CPUs that share a cache are shown as a mask only.</summary>
    NoCacheLists,

    /// <summary>The CPUs of a node are shown as a mask only.</summary>
    NoCpulist,

    /// <summary>CPUs have no link to their nodes.</summary>
    NoNodeLinks,

    /// <summary>Lists name CPUs that are offline; masks do not.</summary>
    ListsNameOfflineCpus,

    /// <summary>The lists and masks of nodes end with a NUL.</summary>
    NulAfterNodeFiles,

    /// <summary>The huge pages of a node are in its meminfo, not in a folder.</summary>
    NodeHugePagesInMeminfo,
}
