using FsCheck;
using FsCheck.Fluent;

namespace NumaSharp.Tests.Core.Memory.Model;

/// <summary>
/// A step: any numbers make sense in any state, so that a list of steps from which some are left out is one, too.
/// </summary>
/// <param name="Action">What is done.</param>
/// <param name="Worker">By which thread.</param>
/// <param name="Pick">Which of the blocks in use, or how many.</param>
/// <param name="Size">Bytes.</param>
/// <param name="Node">A node, or a power of two.</param>
internal readonly record struct ModelStep(ModelAction Action, int Worker, int Pick, int Size, int Node)
{
    public const int Workers = 3;

    private const int Largest = 256 * 1024;

    // Every order of magnitude as often, the borders of classes, now and then beyond the classes.
    private static Gen<int> Sizes => Gen.Frequency(
        (40, from log in Gen.Choose(0, 13) from part in Gen.Choose(0, 255) select (1 << log) + ((part << log) >> 8)),
        (5, from log in Gen.Choose(4, 18) from offset in Gen.Choose(-1, 1) select (1 << log) + offset),
        (4, Gen.Choose(8192, Largest)),
        (1, Gen.Choose(Largest - 64, 3 * 1024 * 1024)),
        (1, Gen.Constant(0)));

    private static Gen<ModelAction> Actions => Gen.Frequency(
        (12, Gen.Elements(
            ModelAction.Allocate,
            ModelAction.AllocateOn,
            ModelAction.AllocateZeroed,
            ModelAction.AllocateZeroedOn,
            ModelAction.AllocateAligned,
            ModelAction.AllocateAlignedOn,
            ModelAction.AllocateForNode,
            ModelAction.AllocateMany,
            ModelAction.ReallocateNull)),
        (14, Gen.Elements(
            ModelAction.Reallocate,
            ModelAction.Free,
            ModelAction.FreeForNode,
            ModelAction.FreeMany,
            ModelAction.LoopOnHeap)),
        (4, Gen.Elements(ModelAction.Query, ModelAction.FreeWrongly, ModelAction.FreeNull, ModelAction.MoveThread)),
        (2, Gen.Elements(ModelAction.EndThread, ModelAction.Trim, ModelAction.LetTimePass, ModelAction.CheckAll)),
        (1, Gen.Elements(
            ModelAction.Apply, ModelAction.RefuseCommits, ModelAction.RefuseOwnCommits, ModelAction.RefuseBinds)));

    public static Gen<ModelStep> Any =>
        from action in Actions
        from worker in Gen.Choose(0, Workers - 1)
        from pick in Gen.Choose(0, 700)
        from size in Sizes
        from node in Gen.Choose(0, 64)
        select new ModelStep(action, worker, pick, size, node);

    public override string ToString() => $"{Action}({Worker}, {Pick}, {Size}, {Node})";
}
