using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.EventLoop;
using NumaSharp.Hosting.Telemetry;

namespace NumaSharp.Hosting.Transport;

/// <summary>
/// Names a request that has blocked its event loop. A request costs one call and one read until the transport asks, after a loop
/// was handed over many times; then it names the first request that ends on a thread that has lost that loop.
/// </summary>
internal sealed class BlockingRequestReport(ILoggerFactory loggers, TimeProvider? time = null) : IStartupFilter
{
    private const string Category = "NumaSharp.Transport.Epoll";

    // A transport that serves no requests would be watched forever.
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
            // Resumes here on the thread that completes the task.
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
                Report(watch.Loop, context);
            }
        }
    }

    private bool IsFirst(Watch watch) => ReferenceEquals(Interlocked.CompareExchange(ref _watch, null, watch), watch);

    private void Report(NumaEventLoop loop, HttpContext context)
    {
        try
        {
            NumaHostingLog.RequestKeptLoop(_logger, loop.Index, context.Request.Method, NameOf(context));
        }
        catch (Exception exception)
        {
            // Features may be application code; their exceptions must not end the request.
            Trace.TraceError($"A request that blocked loop {loop.Index} could not be named: {exception}");
        }
    }

    // The encoded path: it has no control characters, which could forge log lines.
    private static string NameOf(HttpContext context) =>
        (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText
        ?? context.GetEndpoint()?.DisplayName
        ?? context.Request.Path.ToUriComponent();

    private sealed record Watch(NumaEventLoop Loop, long Since)
    {
        /// <summary>Whether the calling thread has lost the loop to another one.</summary>
        public bool IsLost => ReferenceEquals(NumaEventLoop.Current, Loop) && !Loop.IsHeldByCurrentThread;
    }
}
