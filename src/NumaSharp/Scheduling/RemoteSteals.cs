namespace NumaSharp.Scheduling;

/// <summary>Items taken from one other node.</summary>
/// <param name="NodeIndex">The other node's position in the plan.</param>
/// <param name="Count">How many.</param>
internal readonly record struct RemoteSteals(int NodeIndex, long Count);
