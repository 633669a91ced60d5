namespace NumaSharp.Plugins.Simulated;

/// <summary>An operation that fails. The first fault that fits a call answers it. Immutable.</summary>
/// <param name="Operation">Which operation.</param>
/// <param name="Error">How it fails.</param>
/// <param name="NodeId">
/// Only for this node: the one that memory is bound to or taken for, that the CPUs belong to, or that is asked about;
/// <see langword="null"/> for all.
/// </param>
/// <param name="After">How many calls that fit are let through first.</param>
/// <param name="Times">How many calls fail then; 0 for all.</param>
public sealed record SimulatedFault(
    SimulatedOperation Operation, SimulatedError Error, int? NodeId = null, int After = 0, int Times = 0);
