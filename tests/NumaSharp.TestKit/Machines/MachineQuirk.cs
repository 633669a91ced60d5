namespace NumaSharp.TestKit;

/// <summary>What a kernel leaves out or does in its own way. In a file of facts they have these names with dashes.</summary>
public enum MachineQuirk
{
    /// <summary>No cpu/online, possible and present: the CPUs' folders, and cpuN/online where it is there, tell.</summary>
    NoCpuLists,

    /// <summary>Which CPUs are of a core or package is there as a mask only.</summary>
    NoSiblingLists,

    /// <summary>The files of cores and packages have only the names from before Linux 5.3.</summary>
    NoCoreCpus,

    /// <summary>Which CPUs share a cache is there as a mask only.</summary>
    NoCacheLists,

    /// <summary>The CPUs of a node are there as a mask only.</summary>
    NoCpulist,

    /// <summary>CPUs have no link to their node.</summary>
    NoNodeLinks,

    /// <summary>Lists name CPUs that are offline; masks do not.</summary>
    ListsNameOfflineCpus,

    /// <summary>The lists and masks of nodes end with a NUL.</summary>
    NulAfterNodeFiles,

    /// <summary>The huge pages of a node are in its meminfo, not in a folder.</summary>
    NodeHugePagesInMeminfo,
}
