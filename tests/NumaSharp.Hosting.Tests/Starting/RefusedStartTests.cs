using Microsoft.Extensions.Options;
using NumaSharp.Hosting.Configuration;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>Real processes whose program is what a service author writes.</summary>
public sealed class RefusedStartTests
{
    [Theory]
    [InlineData("web")]
    [InlineData("worker")]
    public async Task Start_BadSettings_EndsWithCode1AndOneLinePerError(string kind)
    {
        var result = await RunAsync(
            kind, "--Numa:Transport:Backlog=abc", "--Numa:Memory:Provider=Nope", "--Numa:Scheduler:ThreadsPerNode=-1");
        string[] expected =
        [
            "Numa:Scheduler:ThreadsPerNode = '-1': must be an integer from 0 to 4096",
            "Numa:Transport:Backlog = 'abc': must be an integer from 1 to 65535",
        ];
        Assert.Equal(1, result.ExitCode);
        Assert.Equal(expected, result.ErrorLines.Take(2));
        var last = Assert.Single(result.ErrorLines.Skip(2));
        Assert.StartsWith(
            "Numa:Memory:Provider = 'Nope': must be Auto or a registered provider: ", last, StringComparison.Ordinal);
        Assert.DoesNotContain(
            result.OutputLines.Concat(result.ErrorLines),
            static line => line.TrimStart().StartsWith("at ", StringComparison.Ordinal));
        Assert.DoesNotContain("Now listening", result.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_BadEnvironmentVariable_NamesTheKey()
    {
        var result = await RunAsync("worker", [], ("Numa__Topology__Provider", "Nope"));
        Assert.Equal(1, result.ExitCode);
        Assert.StartsWith("Numa:Topology:Provider = 'Nope': ", Assert.Single(result.ErrorLines), StringComparison.Ordinal);
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
