namespace NumaSharp.EventLoop;

/// <summary>A loop that serves nobody, because a callback keeps it and no other thread could take it over.</summary>
/// <param name="Loop">The loop.</param>
/// <param name="Handler">Whose callback it is; <see langword="null"/> where it is none.</param>
/// <param name="Duration">For how long, at least.</param>
/// <param name="Reason">What the loop's thread does, and why no other one goes on; half a sentence in English.</param>
public sealed record NumaEventLoopStall(NumaEventLoop Loop, EventLoopHandler? Handler, TimeSpan Duration, string Reason);
