using System.Diagnostics;
using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Real processes whose program is what a service author writes.</summary>
public sealed class RefusedStartTests
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);

    [Theory]
    [InlineData("web")]
    [InlineData("worker")]
    public async Task Start_BadSettings_EndsWithCode1AndOneLinePerError(string kind)
    {
        var (exitCode, output, errors) = await RunAsync(
            kind, "--Numa:Transport:Backlog=abc", "--Numa:Memory:Provider=Nope", "--Numa:Scheduler:ThreadsPerNode=-1");
        string[] expected =
        [
            "Numa:Scheduler:ThreadsPerNode = '-1': must be an integer from 0 to 4096",
            "Numa:Transport:Backlog = 'abc': must be an integer from 1 to 65535",
        ];
        Assert.Equal(1, exitCode);
        Assert.Equal(expected, errors[..2]);
        var last = Assert.Single(errors[2..]);
        Assert.StartsWith(
            "Numa:Memory:Provider = 'Nope': must be Auto or a registered provider: ", last, StringComparison.Ordinal);
        Assert.DoesNotContain(
            [.. output, .. errors], static line => line.TrimStart().StartsWith("at ", StringComparison.Ordinal));
        Assert.DoesNotContain(output, static line => line.Contains("Now listening", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Start_BadEnvironmentVariable_NamesTheKey()
    {
        var (exitCode, _, errors) = await RunAsync("worker", [], ("Numa__Topology__Provider", "Nope"));
        Assert.Equal(1, exitCode);
        Assert.StartsWith("Numa:Topology:Provider = 'Nope': ", Assert.Single(errors), StringComparison.Ordinal);
    }

    [Fact]
    public void LinesFor_SeveralOptionsClasses_AreTheLinesOfAll()
    {
        var exception = new AggregateException(
            new NumaOptionsException(["Numa:A"]), new OptionsValidationException("", typeof(string), ["Mine:B"]));
        Assert.Equal(["Numa:A", "Mine:B"], RefusedStart.LinesFor(exception));
    }

    [Fact]
    public void LinesFor_AnythingElse_IsNotOurs()
    {
        Assert.Empty(RefusedStart.LinesFor(new InvalidOperationException("x")));
        Assert.Empty(RefusedStart.LinesFor(new OptionsValidationException("", typeof(string), ["Mine:B"])));
        Assert.Empty(RefusedStart.LinesFor(new AggregateException(
            new NumaOptionsException(["Numa:A"]), new InvalidOperationException("x"))));
        Assert.Empty(RefusedStart.LinesFor("not even an exception"));
    }

    private static Task<(int ExitCode, string[] Output, string[] Errors)> RunAsync(string kind, params string[] arguments) =>
        RunAsync(kind, arguments, []);

    private static async Task<(int ExitCode, string[] Output, string[] Errors)> RunAsync(
        string kind, string[] arguments, params (string Name, string Value)[] variables)
    {
        string[] all = ["NumaSharp.StartApp.dll", kind, "--urls=http://127.0.0.1:0", .. arguments];
        var start = new ProcessStartInfo(DotnetHost.Path, all)
        {
            WorkingDirectory = AppContext.BaseDirectory,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        using var process = Process.Start(start)!;
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        limit.CancelAfter(s_limit);
        try
        {
            var output = process.StandardOutput.ReadToEndAsync(limit.Token);
            var errors = process.StandardError.ReadToEndAsync(limit.Token);
            await process.WaitForExitAsync(limit.Token);
            return (process.ExitCode, LinesOf(await output), LinesOf(await errors));
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }

    private static string[] LinesOf(string text) =>
        text.ReplaceLineEndings("\n").Split('\n', StringSplitOptions.RemoveEmptyEntries);
}
