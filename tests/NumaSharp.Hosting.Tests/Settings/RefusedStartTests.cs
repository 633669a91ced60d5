using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Settings;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Real processes whose program is what a service author writes.</summary>
public sealed class RefusedStartTests
{
    private static readonly string[] s_wrong =
        ["--Numa:Transport:Backlog=abc", "--Numa:Memory:Provider=Nope", "--Numa:Scheduler:ThreadsPerNode=-1"];

    private static readonly IServiceProvider s_none = new ServiceCollection().BuildServiceProvider();

    [Theory]
    [InlineData("web")]
    [InlineData("worker")]
    public async Task Start_BadSettings_EndsWithCode1AndOneLinePerErrorWrittenOnce(string kind)
    {
        var result = await RunAsync(kind, s_wrong);
        Assert.Equal(1, result.ExitCode);
        Assert.Empty(result.ErrorLines);
        ExpectFailures([.. result.OutputLines.Select(static line => line.Trim()).Where(IsFailure)]);
        ExpectNoTrace(result);
    }

    [Theory]
    [InlineData("web")]
    [InlineData("worker")]
    public async Task Start_BadSettingsAndNoLoggerOfTheConsole_SaysThemOnStderr(string kind)
    {
        var result = await RunAsync(kind, [.. s_wrong, "--Logging:Console:LogLevel:Default=None"]);
        Assert.Equal(1, result.ExitCode);
        ExpectFailures(result.ErrorLines);
        Assert.DoesNotContain(result.OutputLines, IsFailure);
        ExpectNoTrace(result);
    }

    [Fact]
    public async Task Start_BadEnvironmentVariable_NamesTheKey()
    {
        var result = await RunAsync(
            "worker", ["--Logging:Console:LogLevel:Default=None"], ("Numa__Topology__Provider", "Nope"));
        Assert.Equal(1, result.ExitCode);
        Assert.StartsWith(
            "Numa:Topology:Provider = 'Nope' (environment): ", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
    }

    // As an application does around Run(), which disposes the host.
    [Fact]
    public void ToString_AnotherConsoleLogsItWhenTheHostHasEnded_IsTheFailures()
    {
        var services = new ServiceCollection().BuildServiceProvider();
        services.Dispose();
        var exception = new NumaOptionsException(services, ["Numa:A"]);
        using (var loggers = LoggerFactory.Create(static logging => logging.AddConsole()))
        {
            loggers.CreateLogger("Main").Log(
                LogLevel.Critical, default, "Expected by a test.", exception, static (text, _) => text);
        }

        Assert.False(exception.EndLogging());
    }

    [Fact]
    public void LinesFor_SeveralOptionsClasses_AreTheLinesOfAll()
    {
        var exception = new AggregateException(
            new NumaOptionsException(s_none, ["Numa:A"]), new OptionsValidationException("", typeof(string), ["Mine:B"]));
        Assert.Equal(["Numa:A", "Mine:B"], RefusedStart.LinesFor(exception));
    }

    [Fact]
    public void LinesFor_AnythingElse_IsNotOurs()
    {
        Assert.Empty(RefusedStart.LinesFor(new InvalidOperationException("x")));
        Assert.Empty(RefusedStart.LinesFor(new OptionsValidationException("", typeof(string), ["Mine:B"])));
        Assert.Empty(RefusedStart.LinesFor(new AggregateException(
            new NumaOptionsException(s_none, ["Numa:A"]), new InvalidOperationException("x"))));
        Assert.Empty(RefusedStart.LinesFor("not even an exception"));
    }

    private static bool IsFailure(string line) => line.Contains("Numa:", StringComparison.Ordinal);

    private static void ExpectFailures(IReadOnlyList<string> lines)
    {
        Assert.Equal(
            [
                "Numa:Scheduler:ThreadsPerNode = '-1' (command line): must be an integer from 0 to 4096",
                "Numa:Transport:Backlog = 'abc' (command line): must be an integer from 1 to 65535",
            ],
            lines.Take(2));
        Assert.StartsWith(
            "Numa:Memory:Provider = 'Nope' (command line): must be Auto or a registered provider: ",
            Assert.Single(lines.Skip(2)),
            StringComparison.Ordinal);
    }

    private static void ExpectNoTrace(ProgramResult result)
    {
        Assert.DoesNotContain(
            result.OutputLines.Concat(result.ErrorLines),
            static line => line.TrimStart().StartsWith("at ", StringComparison.Ordinal));
        Assert.DoesNotContain("Now listening", result.Output, StringComparison.Ordinal);
    }

    private static Task<ProgramResult> RunAsync(string kind, params string[] arguments) => RunAsync(kind, arguments, []);

    private static Task<ProgramResult> RunAsync(
        string kind, string[] arguments, params (string Name, string Value)[] variables)
    {
        var start = DotnetHost.Program("NumaSharp.StartApp.dll", [kind, StartedApp.AnyPort, .. arguments]);
        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        return ExternalProgram.TryAsync(start);
    }
}
