using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace NumaSharp.Playground.Tests;

/// <summary>eng/check-main-job, with which CI checks the web app: it finds each missing or wrong answer.</summary>
[Trait("tier", "deep")]
public sealed class MainJobTests : IDisposable
{
    private const string Where = """{"node":0,"cpu":1,"thread":2,"loop":3,"buffer":{"node":null,"address":null}}""";
    private const string WhereOnSockets = """{"node":0,"cpu":1,"thread":2,"loop":null,"buffer":{"node":null,"address":null}}""";

    private readonly TemporaryFolder _folder = new();

    // The app that the script starts creates it when it handles SIGTERM.
    private string ReadyFile => _folder.PathOf("ready");

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("/ping", 200, "pong", 0, 0)]
    [InlineData("/ping", 500, "pong", 0, 1)]
    [InlineData("/ping", 204, "", 0, 1)]
    [InlineData("/ping", 200, "ping", 0, 1)]
    [InlineData("/where", 500, Where, 0, 1)]
    [InlineData("/where", 200, WhereOnSockets, 0, 1)]
    [InlineData("/numa", 404, "<title>NUMA</title>", 0, 1)]
    [InlineData("/numa", 200, "", 0, 1)]
    [InlineData("/ping", 200, "pong", 3, 1)]
    public async Task CheckMainJob_OneAnswerOrTheEnd_DecidesOnTheExitCode(
        string path, int status, string body, int appEndsWith, int expected)
    {
        SkipUnlessItCanRun();
        await using var app = await StartAsync(path, status, body);
        var result = await CheckAsync(app, $"exit {appEndsWith}");

        Assert.True(result.ExitCode == expected, result.ToString());
        Assert.Equal(expected != 0, result.Errors.Contains("WRONG: ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task CheckMainJob_NoHttp2_IsWrong()
    {
        SkipUnlessItCanRun();
        await using var app = await StartAsync("/ping", StatusCodes.Status200OK, "pong", HttpProtocols.Http1);
        var result = await CheckAsync(app, "exit 0");

        Assert.True(result.ExitCode == 1, result.ToString());
        Assert.Contains("WRONG: /ping over HTTP/2", result.Errors, StringComparison.Ordinal);
    }

    // Asked to end, an app that does not would keep CI for ever.
    [Fact]
    public async Task CheckMainJob_AppThatContinues_IsEndedAndWrong()
    {
        SkipUnlessItCanRun();
        await using var app = await StartAsync("/ping", StatusCodes.Status200OK, "pong");
        var result = await CheckAsync(app, "", "--patience", "1");

        Assert.True(result.ExitCode == 1, result.ToString());
        Assert.Contains("WRONG: the app is still running 1 s after SIGTERM", result.Errors, StringComparison.Ordinal);
    }

    // A build that hangs would keep CI for ever, too.
    [Fact]
    public async Task CheckMainJob_AppThatNeverAnswers_IsEndedAndWrong()
    {
        SkipUnlessItCanRun();
        using var refusing = new BoundPort();
        var result = await CheckAsync([$"http://{refusing.EndPoint}", $"http://{refusing.EndPoint}"], "exit 0", "--start", "1");

        Assert.True(result.ExitCode == 1, result.ToString());
        Assert.Contains("WRONG: the app does not answer within 1 s", result.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CheckMainJob_AppThatEndsBeforeItAnswers_IsWrongAtOnce()
    {
        SkipUnlessItCanRun();
        using var refusing = new BoundPort();
        var result = await ExternalProgram.TryAsync(
            Repository.PathOf("eng", "check-main-job"), "--http", $"http://{refusing.EndPoint}", "--h2c",
            $"http://{refusing.EndPoint}", "bash", "-c", "echo broken; exit 3");

        Assert.True(result.ExitCode == 1, result.ToString());
        Assert.Contains("WRONG: /ping over HTTP/1.1: no answer", result.Errors, StringComparison.Ordinal);
        Assert.Contains("WRONG: the app ended with 3", result.Errors, StringComparison.Ordinal);
        Assert.Contains("broken", result.OutputLines);
    }

    private static void SkipUnlessItCanRun()
    {
        ExternalProgram.SkipUnlessThere("bash");
        ExternalProgram.SkipUnlessThere("curl");
    }

    private async Task<WebApplication> StartAsync(
        string path, int status, string body, HttpProtocols second = HttpProtocols.Http2)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.AllowSlowClients();
        builder.WebHost.ConfigureKestrel(options =>
        {
            options.Listen(System.Net.IPAddress.Loopback, 0, static listen => listen.Protocols = HttpProtocols.Http1);
            options.Listen(System.Net.IPAddress.Loopback, 0, listen => listen.Protocols = second);
        });
        var app = builder.Build();
        var answers = new Dictionary<string, (int Status, string Body)>(StringComparer.Ordinal)
        {
            ["/ping"] = (200, "pong"),
            ["/where"] = (200, Where),
            ["/numa"] = (200, "<title>NUMA</title>"),
            [path] = (status, body),
        };
        app.Run(async context =>
        {
            await Wait.UntilAsync(() => File.Exists(ReadyFile));
            var answer = answers[context.Request.Path];
            context.Response.StatusCode = answer.Status;
            await context.Response.WriteAsync(answer.Body);
        });
        await app.StartAsync(TestContext.Current.CancellationToken);
        return app;
    }

    // The app that the script starts only has to end. This process answers in its place, and only when the app handles SIGTERM:
    // before that, the signal would end it with 143.
    private Task<ProgramResult> CheckAsync(WebApplication app, string onTerm, params string[] arguments) => CheckAsync(
        [.. app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses], onTerm, arguments);

    private async Task<ProgramResult> CheckAsync(string[] addresses, string onTerm, params string[] arguments)
    {
        var script = $"trap '{onTerm}' TERM; : >\"$0\"; while :; do sleep 0.05; done";
        return await ExternalProgram.TryAsync(
            Repository.PathOf("eng", "check-main-job"),
            ["--http", addresses[0], "--h2c", addresses[1], .. arguments, "bash", "-c", script, ReadyFile]);
    }
}
