using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Debug events of single connections, with the numbers, names and fields of Kestrel's socket transport but a category of its
/// own. Without Debug the cost is one field read, and no connection id is created.
/// </summary>
internal sealed class ConnectionLog(OutboxLogger logger, TimeProvider time)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    private readonly EpollTransportLog _events = new(logger);
    private long? _asked;

    public bool IsEnabled => logger.WantsDebug;

    /// <summary>Follows the logger's level, which may change at run time; queries it at most once a second.</summary>
    public void FollowLevel()
    {
        if (_asked is not { } asked || time.GetElapsedTime(asked) >= s_interval)
        {
            _asked = time.GetTimestamp();
            logger.AskForDebug();
        }
    }

    /// <summary>The client has sent data that the application is not reading.</summary>
    public void Paused(EpollConnection connection)
    {
        if (IsEnabled)
        {
            _events.ConnectionPause(connection.ConnectionId);
        }
    }

    public void Resumed(EpollConnection connection)
    {
        if (IsEnabled)
        {
            _events.ConnectionResume(connection.ConnectionId);
        }
    }

    public void Ended(EpollConnection connection)
    {
        if (IsEnabled)
        {
            _events.ConnectionReadFin(connection.ConnectionId);
        }
    }

    public void EndsInOrder(EpollConnection connection, string reason)
    {
        if (IsEnabled)
        {
            _events.ConnectionWriteFin(connection.ConnectionId, reason);
        }
    }

    public void Resets(EpollConnection connection, string reason)
    {
        if (IsEnabled)
        {
            _events.ConnectionWriteRst(connection.ConnectionId, reason);
        }
    }

    public void Failed(EpollConnection connection, Exception failure)
    {
        if (!IsEnabled)
        {
            return;
        }

        if (failure is ConnectionResetException)
        {
            _events.ConnectionReset(connection.ConnectionId);
        }
        else
        {
            _events.ConnectionError(connection.ConnectionId, failure);
        }
    }
}
