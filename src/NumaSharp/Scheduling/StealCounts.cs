using System.Collections.Immutable;

namespace NumaSharp.Scheduling;

/// <summary>How many items the workers of a group have stolen, by distance.</summary>
/// <param name="SameCache">From workers that share their last-level cache; all of the node's if caches are unknown.</param>
/// <param name="SameNode">From other workers of the node.</param>
/// <param name="Remote">From other nodes, in the order of the group's neighbours.</param>
internal readonly record struct StealCounts(long SameCache, long SameNode, ImmutableArray<RemoteSteals> Remote);
