namespace NumaSharp.Core;

/// <summary>Hints for a range of memory (madvise(2)).</summary>
public enum NumaMemoryAdvice
{
    /// <summary>Transparent huge pages are requested (MADV_HUGEPAGE).</summary>
    HugePages,

    /// <summary>Ordinary pages only (MADV_NOHUGEPAGE).</summary>
    NoHugePages,

    /// <summary>
    /// The content is not needed any more: pages go back to the system (MADV_DONTNEED). Commit the range again before use; it
    /// then reads as zero.
    /// </summary>
    Discard,

    /// <summary>
    /// The content is not needed any more, and the range stays committed: its pages go back to the system and come back, with any
    /// content, when they are used next (MADV_DONTNEED). A provider may refuse it; the pages then stay.
    /// </summary>
    Reset,
}
