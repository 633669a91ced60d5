namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>What a step of the random test does with an allocator.</summary>
internal enum ModelAction
{
    Allocate,
    AllocateOn,
    AllocateZeroed,
    AllocateZeroedOn,
    AllocateAligned,
    AllocateAlignedOn,
    AllocateForNode,
    AllocateMany,
    ReallocateNull,
    Reallocate,
    Free,
    FreeForNode,
    FreeNull,
    FreeMany,
    LoopOnHeap,
    Query,
    FreeWrongly,
    MoveThread,
    EndThread,
    Trim,
    LetTimePass,
    Apply,
    RefuseCommits,
    RefuseOwnCommits,
    RefuseBinds,
    CheckAll,
}
