namespace NumaSharp.Core.Topology;

/// <summary>Why a kernel file gave no text.</summary>
internal enum FileProblem
{
    None,
    Missing,
    Unreadable,
    LinkLoop,
    TooLarge,
}
