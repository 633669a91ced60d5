using System.Collections.Concurrent;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using NumaSharp.EventLoop;

namespace NumaSharp.Transport.Epoll.Listening;

/// <summary>
/// Names a request that has kept its loop. Nothing is done for requests until somebody asks; from then on ASP.NET Core says
/// that one has ended (the diagnostic event EndRequest), and the first that ends on a thread which has lost the loop is the one.
/// ASP.NET Core says it of every application in the process: those on other loops are none of ours.
/// </summary>
internal sealed class LateRequests(EpollTransportLog log, TimeProvider time)
{
    private const string Source = "Microsoft.AspNetCore";
    private const string EndRequest = "Microsoft.AspNetCore.Hosting.EndRequest";

    // Whoever runs no requests would be listened to for ever.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    private Watch? _watch;

    /// <summary>Logs the next request that ends late on a thread of the loop, within a minute.</summary>
    public void WatchForOne(NumaEventLoop loop)
    {
        var watch = new Watch(log, time, loop);
        Interlocked.Exchange(ref _watch, watch)?.End();
        watch.Begin();
    }

    private static string NameOf(HttpContext context) =>
        (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText
        ?? context.GetEndpoint()?.DisplayName
        ?? context.Request.Path.ToString();

    [UnconditionalSuppressMessage(
        "Trimming", "IL2075", Justification = "ASP.NET Core keeps what it tells; without a property nothing is named.")]
    private static HttpContext? HttpContextOf(object? told) =>
        told?.GetType().GetProperty("httpContext")?.GetValue(told) as HttpContext;

    private sealed class Watch(EpollTransportLog log, TimeProvider time, NumaEventLoop loop)
        : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
    {
        private readonly long _since = time.GetTimestamp();
        private readonly ConcurrentBag<IDisposable> _subscriptions = [];
        private int _hasEnded;

        public void Begin() => Keep(DiagnosticListener.AllListeners.Subscribe(this));

        /// <returns>False when it has ended before.</returns>
        public bool End()
        {
            var ends = Interlocked.Exchange(ref _hasEnded, 1) == 0;
            while (_subscriptions.TryTake(out var subscription))
            {
                subscription.Dispose();
            }

            return ends;
        }

        void IObserver<DiagnosticListener>.OnNext(DiagnosticListener value)
        {
            if (value.Name == Source)
            {
                Keep(value.Subscribe(this, (name, _, _) => name == EndRequest && IsLate()));
            }
        }

        void IObserver<KeyValuePair<string, object?>>.OnNext(KeyValuePair<string, object?> value)
        {
            // Whoever subscribes to one event of a listener may be told of all (DiagnosticListener.IsEnabled is but a hint).
            if (value.Key == EndRequest
                && HasLostLoop()
                && HttpContextOf(value.Value) is { } context
                && End())
            {
                log.RequestKeptLoop(loop.Index, context.Request.Method, NameOf(context));
            }
        }

        void IObserver<DiagnosticListener>.OnCompleted()
        {
        }

        void IObserver<DiagnosticListener>.OnError(Exception error)
        {
        }

        void IObserver<KeyValuePair<string, object?>>.OnCompleted()
        {
        }

        void IObserver<KeyValuePair<string, object?>>.OnError(Exception error)
        {
        }

        private bool IsLate()
        {
            if (time.GetElapsedTime(_since) >= s_patience)
            {
                End();
                return false;
            }

            return HasLostLoop();
        }

        private bool HasLostLoop() => ReferenceEquals(NumaEventLoop.Current, loop) && !loop.IsHeldByCurrentThread;

        // What comes when the watch has ended ends at once; one of the two sees the other.
        private void Keep(IDisposable subscription)
        {
            _subscriptions.Add(subscription);
            Interlocked.MemoryBarrier();
            if (Volatile.Read(ref _hasEnded) != 0)
            {
                End();
            }
        }
    }
}
