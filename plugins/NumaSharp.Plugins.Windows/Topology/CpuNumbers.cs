using NumaSharp.Core;
using NumaSharp.Plugins.Windows.Interop;

namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>
/// CPU ids on a system that numbers CPUs within groups: 64 times the group, plus the number in it. Word n of a set is the mask of
/// group n.
/// </summary>
internal static class CpuNumbers
{
    /// <summary>Far more groups than any Windows has (32), but few enough to limit hostile input.</summary>
    public const int MaxGroups = 1024;

    private const int CpusPerGroup = 64;

    public static int IdOf(ProcessorNumber processor) => (processor.Group * CpusPerGroup) + processor.Number;

    /// <summary>The CPUs of a mask; empty for an impossible group.</summary>
    public static CpuSet SetOf(GroupAffinity affinity)
    {
        if (affinity.Group >= MaxGroups)
        {
            return CpuSet.Empty;
        }

        var words = new ulong[affinity.Group + 1];
        words[affinity.Group] = affinity.Mask;
        return CpuSet.FromWords(words);
    }

    public static CpuSet SetOf(ReadOnlySpan<GroupAffinity> affinities)
    {
        var set = CpuSet.Empty;
        foreach (var affinity in affinities)
        {
            set = set.Union(SetOf(affinity));
        }

        return set;
    }

    public static ulong MaskOf(CpuSet cpus, int group) => group < cpus.AsWords().Length ? cpus.AsWords()[group] : 0;

    /// <summary>One mask for each group with CPUs in the set, in ascending order.</summary>
    public static GroupAffinity[] AffinitiesOf(CpuSet cpus)
    {
        var words = cpus.AsWords();
        var affinities = new List<GroupAffinity>();
        for (var group = 0; group < words.Length && group <= ushort.MaxValue; group++)
        {
            if (words[group] != 0)
            {
                affinities.Add(new GroupAffinity((ushort)group, words[group]));
            }
        }

        return [.. affinities];
    }
}

/// <summary>Wraps calls that fill an array of masks and report the required length.</summary>
internal static class GroupMasks
{
    private const int FirstLength = 8;

    public delegate int Query(Span<GroupAffinity> masks, out ushort count);

    /// <summary>Reads all masks. Returns the Win32 error.</summary>
    public static int Read(Query query, out GroupAffinity[] masks)
    {
        for (var length = FirstLength; ; length *= 2)
        {
            masks = new GroupAffinity[length];
            var error = query(masks, out var count);
            if (error == Win32Error.ERROR_SUCCESS)
            {
                Array.Resize(ref masks, Math.Min(count, length));
                return error;
            }

            if (error is not (Win32Error.ERROR_INSUFFICIENT_BUFFER or Win32Error.ERROR_MORE_DATA)
                || length >= CpuNumbers.MaxGroups)
            {
                masks = [];
                return error;
            }
        }
    }
}
