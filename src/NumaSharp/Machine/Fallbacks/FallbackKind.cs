namespace NumaSharp.Core;

/// <summary>A kind of fallback, the same for every report of it. The texts are whole sentences, in plain text.</summary>
/// <param name="Id">
/// <see cref="NumaFallback.Feature"/>: the component that reports it, a dot, a word. Stable: alerts and metrics use it.
/// </param>
/// <param name="Cause">What is unavailable.</param>
/// <param name="Effect">What NumaSharp does instead.</param>
/// <param name="Remedy">What to do about it: <see cref="NumaFallback.Remedy"/>.</param>
internal sealed record FallbackKind(string Id, string Cause, string Effect, string Remedy);
