namespace NumaSharp.Models.Tests;

/// <param name="Errors">How many errors the search met; it ends at the first.</param>
/// <param name="States">The different states that it visited.</param>
/// <param name="IsComplete">Whether these are all.</param>
/// <param name="Output">What the model checker wrote.</param>
internal sealed record SpinResult(int Errors, long States, bool IsComplete, string Output);
