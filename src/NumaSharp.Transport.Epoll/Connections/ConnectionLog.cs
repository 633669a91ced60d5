using Microsoft.AspNetCore.Connections;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;

namespace NumaSharp.Transport.Epoll.Connections;

/// <summary>
/// Debug events of single connections, with the numbers, names and fields of Kestrel's socket transport but a category of its
/// own. Without Debug the cost is one field read, and no connection id is created.
/// </summary>
internal sealed partial class ConnectionLog(OutboxLogger logger, TimeProvider time)
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

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
            ConnectionPause(connection.ConnectionId);
        }
    }

    public void Resumed(EpollConnection connection)
    {
        if (IsEnabled)
        {
            ConnectionResume(connection.ConnectionId);
        }
    }

    public void Ended(EpollConnection connection)
    {
        if (IsEnabled)
        {
            ConnectionReadFin(connection.ConnectionId);
        }
    }

    public void EndsInOrder(EpollConnection connection, string reason)
    {
        if (IsEnabled)
        {
            ConnectionWriteFin(connection.ConnectionId, reason);
        }
    }

    public void Resets(EpollConnection connection, string reason)
    {
        if (IsEnabled)
        {
            ConnectionWriteRst(connection.ConnectionId, reason);
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
            ConnectionReset(connection.ConnectionId);
        }
        else
        {
            ConnectionError(connection.ConnectionId, failure);
        }
    }

    [LoggerMessage(4, LogLevel.Debug, "Connection id \"{ConnectionId}\" paused.", EventName = nameof(ConnectionPause))]
    private partial void ConnectionPause(string connectionId);

    [LoggerMessage(5, LogLevel.Debug, "Connection id \"{ConnectionId}\" resumed.", EventName = nameof(ConnectionResume))]
    private partial void ConnectionResume(string connectionId);

    [LoggerMessage(6, LogLevel.Debug, "Connection id \"{ConnectionId}\" received FIN.", EventName = nameof(ConnectionReadFin))]
    private partial void ConnectionReadFin(string connectionId);

    [LoggerMessage(7, LogLevel.Debug, "Connection id \"{ConnectionId}\" sending FIN because: \"{Reason}\"",
        EventName = nameof(ConnectionWriteFin))]
    private partial void ConnectionWriteFin(string connectionId, string reason);

    [LoggerMessage(8, LogLevel.Debug, "Connection id \"{ConnectionId}\" sending RST because: \"{Reason}\"",
        EventName = nameof(ConnectionWriteRst))]
    private partial void ConnectionWriteRst(string connectionId, string reason);

    [LoggerMessage(14, LogLevel.Debug, "Connection id \"{ConnectionId}\" communication error.",
        EventName = nameof(ConnectionError))]
    private partial void ConnectionError(string connectionId, Exception exception);

    [LoggerMessage(19, LogLevel.Debug, "Connection id \"{ConnectionId}\" reset.", EventName = nameof(ConnectionReset))]
    private partial void ConnectionReset(string connectionId);
}
