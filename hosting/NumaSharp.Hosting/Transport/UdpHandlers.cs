using System.Runtime.ExceptionServices;

namespace NumaSharp.Hosting.Udp;

/// <summary>The handlers of a listener, disposed of with it. Thread-safe.</summary>
internal sealed class UdpHandlers<THandler> : IAsyncDisposable
    where THandler : class
{
    private readonly Lock _lock = new();

    // None once the listener has ended.
    private List<THandler>? _handlers = [];

    /// <summary>
    /// Adds a handler. After the end it is disposed of at once: its constructor, called to replace a hanging handler, took longer
    /// than the end waits. Then no datagram reaches it.
    /// </summary>
    public void Add(THandler handler)
    {
        lock (_lock)
        {
            if (_handlers is not null)
            {
                _handlers.Add(handler);
                return;
            }
        }

        EndAsync(handler).AsTask().GetAwaiter().GetResult();
    }

    /// <exception cref="Exception">A handler's; the others are disposed of all the same.</exception>
    /// <exception cref="AggregateException">Several handlers threw.</exception>
    public async ValueTask DisposeAsync()
    {
        List<THandler>? handlers;
        lock (_lock)
        {
            (handlers, _handlers) = (_handlers, null);
        }

        List<Exception> failures = [];
        foreach (var handler in handlers ?? [])
        {
            try
            {
                await EndAsync(handler).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                // The application's code may throw anything. What the other handlers hold must not leak for that.
                failures.Add(exception);
            }
        }

        ThrowIfAny(failures);
    }

    private static void ThrowIfAny(List<Exception> failures)
    {
        if (failures.Count == 1)
        {
            ExceptionDispatchInfo.Throw(failures[0]);
        }

        if (failures.Count > 1)
        {
            throw new AggregateException(failures);
        }
    }

    private static async ValueTask EndAsync(THandler handler)
    {
        switch (handler)
        {
            case IAsyncDisposable disposable:
                await disposable.DisposeAsync().ConfigureAwait(false);
                break;
            case IDisposable disposable:
                disposable.Dispose();
                break;
        }
    }
}
