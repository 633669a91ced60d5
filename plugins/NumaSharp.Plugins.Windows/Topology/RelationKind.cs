namespace NumaSharp.Plugins.Windows.Topology;

/// <summary>LOGICAL_PROCESSOR_RELATIONSHIP (winnt.h). Others are skipped.</summary>
internal enum RelationKind
{
    ProcessorCore = 0,
    NumaNode = 1,
    Cache = 2,
    ProcessorPackage = 3,
    Group = 4,
    NumaNodeEx = 6,
}
