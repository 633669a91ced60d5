namespace NumaSharp.Core;

/// <summary>
/// Pins the calling thread to CPUs, and restores its previous mask when disposed on the same thread. A refusal is no error: it is
/// reported to <see cref="NumaFallbacks"/> and the thread runs where it did before.
/// </summary>
/// <remarks>
/// A native thread that is started while its parent is pinned inherits the mask and keeps it (sched_setaffinity(2)): load
/// libraries that start threads before pinning. CoreCLR gives managed threads the mask of the main thread, whichever thread
/// starts them; a pinned main thread would therefore confine every later one, and be taken for the limit of the process.
/// Not thread-safe: it belongs to its thread.
/// </remarks>
public sealed class ThreadAffinity : IDisposable
{
    private readonly INumaAffinityProvider _provider;
    private readonly NumaFallbacks _fallbacks;
    private readonly Thread _owner = Thread.CurrentThread;
    private readonly NumaNodeId? _nodeId;
    private CpuSet? _previous;

    private ThreadAffinity(INumaAffinityProvider provider, NumaFallbacks fallbacks, CpuSet cpus, NumaNodeId? nodeId)
    {
        _provider = provider;
        _fallbacks = fallbacks;
        _nodeId = nodeId;
        Cpus = cpus;
        Result = provider.TryGetThreadCpus(out var previous);
        if (Result.Succeeded)
        {
            Result = provider.TrySetThreadCpus(cpus);
            _previous = Result.Succeeded ? previous : null;
        }

        if (!Result.Succeeded)
        {
            Report(
                FallbackCatalog.AffinityPin,
                $"A thread could not be pinned to CPUs {cpus}: {Result.ErrorName}. It runs on any allowed CPU.");
        }
    }

    /// <summary>The requested CPUs.</summary>
    public CpuSet Cpus { get; }

    /// <summary>Whether the thread was pinned, or why not.</summary>
    public NumaResult Result { get; }

    /// <summary>Whether the thread is pinned now: the kernel agreed, and this is not disposed.</summary>
    public bool IsPinned => _previous is not null;

    /// <summary>Pins the calling thread.</summary>
    /// <param name="provider">The provider that pins.</param>
    /// <param name="cpus">At least one CPU that this process may use.</param>
    /// <param name="fallbacks">Receives a refusal.</param>
    /// <param name="nodeId">The kernel id of the node that the CPUs belong to, for that report.</param>
    /// <returns>The pinning, to be disposed on this thread.</returns>
    public static ThreadAffinity Pin(
        INumaAffinityProvider provider, CpuSet cpus, NumaFallbacks fallbacks, NumaNodeId? nodeId = null)
    {
        ArgumentNullException.ThrowIfNull(provider);
        ArgumentNullException.ThrowIfNull(cpus);
        ArgumentNullException.ThrowIfNull(fallbacks);
        return new ThreadAffinity(provider, fallbacks, cpus, nodeId);
    }

    /// <summary>Restores the mask that the thread had before; does nothing when it was not pinned, or the second time.</summary>
    /// <exception cref="InvalidOperationException">It is called on another thread; the pinned one stays as it is.</exception>
    public void Dispose()
    {
        if (_previous is null)
        {
            return;
        }

        if (Thread.CurrentThread != _owner)
        {
            throw new InvalidOperationException(
                $"The affinity of thread {_owner.ManagedThreadId} can only be restored on that thread; "
                + $"this is thread {Environment.CurrentManagedThreadId}.");
        }

        var result = _provider.TrySetThreadCpus(_previous);
        if (!result.Succeeded)
        {
            Report(
                FallbackCatalog.AffinityRestore,
                $"The affinity of a thread could not be restored to CPUs {_previous}: {result.ErrorName}. It stays on {Cpus}.");
        }

        _previous = null;
    }

    private void Report(FallbackKind kind, string message) => _fallbacks.Report(new NumaFallback(kind, message, _nodeId));
}
