namespace NumaSharp.Core;

/// <summary>Something that was asked for and could not be had, and what is done instead.</summary>
/// <param name="Feature">What it concerns, in a few stable words: <c>memory.bind</c>, <c>affinity.pin</c>.</param>
/// <param name="Message">One line for a person: what failed, why, what happens instead, what to do.</param>
/// <param name="NodeId">The node it concerns, when it is one.</param>
public sealed record NumaFallback(string Feature, string Message, int? NodeId = null);
