namespace NumaSharp.Transport.Epoll.Tests;

/// <summary>
/// For what belongs to the whole process: allocations, which a collection that others cause disturbs, and ASP.NET Core's
/// diagnostic events.
/// </summary>
[CollectionDefinition(nameof(Alone), DisableParallelization = true)]
public sealed class Alone;
