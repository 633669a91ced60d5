using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Logging;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// Names a request that has kept its event loop. A request costs a call and a read until the transport asks, which it does when a
/// loop was handed over many times; from then on the first that ends on a thread which has lost that loop is the one.
/// </summary>
internal sealed partial class LateRequests(ILoggerFactory loggers, TimeProvider? time = null) : IStartupFilter
{
    private const string Category = "NumaSharp.Transport.Epoll";

    // A transport that serves no requests would be watched for ever.
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(1);

    private readonly OutboxLogger _logger = new(loggers.CreateLogger(Category), Outbox.Instance);
    private readonly TimeProvider _time = time ?? TimeProvider.System;
    private Watch? _watch;

    /// <summary>Whether requests are watched.</summary>
    public bool IsWatching => Volatile.Read(ref _watch) is not null;

    /// <summary>Logs the next request that ends late on a thread of the loop, within a minute.</summary>
    public void WatchForOne(NumaEventLoop loop) => Volatile.Write(ref _watch, new Watch(loop, _time.GetTimestamp()));

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => application =>
    {
        application.Use(inner => context =>
            Volatile.Read(ref _watch) is { } watch ? RunAsync(watch, inner, context) : inner(context));
        next(application);
    };

    private async Task RunAsync(Watch watch, RequestDelegate inner, HttpContext context)
    {
        try
        {
            // What completes the task goes on here, on the same thread.
            await inner(context).ConfigureAwait(false);
        }
        finally
        {
            if (_time.GetElapsedTime(watch.Since) >= s_patience)
            {
                _ = IsFirst(watch);
            }
            else if (watch.IsLost && IsFirst(watch))
            {
                Tell(watch.Loop, context);
            }
        }
    }

    private bool IsFirst(Watch watch) => ReferenceEquals(Interlocked.CompareExchange(ref _watch, null, watch), watch);

    private void Tell(NumaEventLoop loop, HttpContext context)
    {
        try
        {
            RequestKeptLoop(loop.Index, context.Request.Method, NameOf(context));
        }
        catch (Exception exception)
        {
            // Features may be the application's own; what they throw must not end the request.
            Trace.TraceError($"A request that kept loop {loop.Index} could not be named: {exception}");
        }
    }

    // The path as it is encoded: it has no control characters, which could forge lines of a log.
    private static string NameOf(HttpContext context) =>
        (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText
        ?? context.GetEndpoint()?.DisplayName
        ?? context.Request.Path.ToUriComponent();

    [LoggerMessage(508, LogLevel.Information,
        "{Method} {Route} blocked event loop {Loop} (blocking call or long computation).")]
    private partial void RequestKeptLoop(int loop, string method, string route);

    private sealed record Watch(NumaEventLoop Loop, long Since)
    {
        /// <summary>Whether the calling thread has lost the loop to another one.</summary>
        public bool IsLost => ReferenceEquals(NumaEventLoop.Current, Loop) && !Loop.IsHeldByCurrentThread;
    }
}
