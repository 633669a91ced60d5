namespace NumaSharp.Scheduling;

/// <summary>Items taken from one other node.</summary>
/// <param name="NodeIndex">The other node's position in the plan.</param>
/// <param name="Distance">The distance to it, 10 being local.</param>
/// <param name="Count">How many.</param>
internal readonly record struct RemoteSteals(int NodeIndex, int Distance, long Count);
