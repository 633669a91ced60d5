using NumaSharp.Playground.Benchmarks;
using NumaSharp.Playground.Benchmarks.Http;

namespace NumaSharp.Benchmarks.Tests;

public sealed class BenchmarkCommandTests
{
    [Fact]
    public async Task RunAsync_KindThatThereIsNot_OneLineAndUsageError()
    {
        var (code, error) = await RunAsync("https", "--quick");

        Assert.Equal(ExitCodes.Usage, code);
        Assert.Equal("'https' is not a kind of benchmark; available: memory, pool, scheduler, http, udp, stop", error.Trim());
    }

    [Fact]
    public async Task RunAsync_NoKind_UsageError()
    {
        var (code, error) = await RunAsync();

        Assert.Equal(ExitCodes.Usage, code);
        Assert.Contains("KIND", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_UnknownDispatch_UsageErrorThatNamesTheKnownOnes()
    {
        var (code, error) = await RunAsync("http", "--dispatch", "Fast");

        Assert.Equal(ExitCodes.Usage, code);
        Assert.Contains("Fast", error, StringComparison.Ordinal);
        Assert.Contains("Adaptive", error, StringComparison.Ordinal);
        Assert.Contains("Node", error, StringComparison.Ordinal);
        Assert.Contains("ThreadPool", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task RunAsync_DispatchOfAnotherKind_UsageError()
    {
        var (code, error) = await RunAsync("memory", "--dispatch", "Node");

        Assert.Equal(ExitCodes.Usage, code);
        Assert.Equal("--dispatch belongs to http and stop, not to memory", error.Trim());
    }

    [Fact]
    public void DefaultDispatch_Kind_ThreadPoolIsOfTheStopOnly()
    {
        Assert.Equal(
            [DispatchMode.Adaptive, DispatchMode.Inline, DispatchMode.Node], BenchmarkKinds.DefaultDispatch(BenchmarkKinds.Http));
        Assert.Equal(Enum.GetValues<DispatchMode>(), BenchmarkKinds.DefaultDispatch(BenchmarkKinds.Stop));
    }

    private static async Task<(int Code, string Error)> RunAsync(params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        return (await BenchmarkCommand.RunAsync(args, output, error), error.ToString());
    }
}
