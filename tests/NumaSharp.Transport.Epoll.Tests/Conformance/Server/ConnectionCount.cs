using Microsoft.AspNetCore.Connections;

namespace NumaSharp.Transport.Epoll.Tests.Conformance.Server;

/// <summary>How many connections Kestrel serves at the moment; a connection that never ends shows here. Thread-safe.</summary>
internal sealed class ConnectionCount
{
    private readonly Lock _lock = new();
    private readonly List<(Func<int, bool> Condition, TaskCompletionSource Met)> _waiting = [];
    private int _active;

    public ConnectionDelegate Counted(ConnectionDelegate next) => async connection =>
    {
        Add(1);
        try
        {
            await next(connection);
        }
        finally
        {
            Add(-1);
        }
    };

    public Task WhenAsync(Func<int, bool> condition)
    {
        lock (_lock)
        {
            if (condition(_active))
            {
                return Task.CompletedTask;
            }

            var met = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting.Add((condition, met));
            return met.Task;
        }
    }

    private void Add(int change)
    {
        lock (_lock)
        {
            _active += change;
            foreach (var waiting in _waiting.Where(waiting => waiting.Condition(_active)))
            {
                waiting.Met.SetResult();
            }

            _waiting.RemoveAll(static waiting => waiting.Met.Task.IsCompleted);
        }
    }
}
