namespace NumaSharp.Benchmarks.Tests.Scripts;

/// <summary>eng/whole-server on a machine, with servers and a load that are made up.</summary>
[Trait("tier", "deep")]
public sealed class WholeServerTests : IDisposable
{
    private readonly ScriptFolder _script = new("whole-server");

    public WholeServerTests()
    {
        _script.AddFile("artifacts/bin/Web/release/NumaSharp.Playground.Web.dll");

        // Two nodes with two cores each, and two hardware threads per core.
        _script.AddProgram(
            "lscpu",
            """
            echo '# CPU,Core,Socket,Node'
            printf '%s\n' 0,0,0,0 1,1,0,0 2,0,1,1 3,1,1,1 4,0,0,0 5,1,0,0 6,0,1,1 7,1,1,1
            """);
        _script.AddProgram("taskset", """shift 2; exec "$@" """);
        _script.AddProgram(
            "dotnet",
            """
            trap 'rm -f "$here/side"; exit 0' TERM
            case "$*" in *Transport*) echo ours ;; *) echo stock ;; esac >"$here/side"
            while :; do sleep 0.1; done
            """);
        _script.AddProgram(
            "curl",
            """
            ours='{"node":1,"cpu":2,"thread":9,"loop":0,"buffer":{"node":0,"address":"0x1"}}'
            case "${*: -1}" in
            */state) echo '{}' ;;
            *'?[1-200]') for ((i = 0; i < 200; i++)); do echo "$ours"; done ;;
            *) case $(cat "$here/side" 2>/dev/null) in
                ours) echo "$ours" ;;
                stock) echo '{"node":1,"cpu":2,"thread":9,"loop":null,"buffer":{"node":null,"address":null}}' ;;
                esac ;;
            esac
            """);
        AddLoad("");
    }

    public void Dispose() => _script.Dispose();

    [Fact]
    public async Task Run_TwoNodes_GivesServerAndLoadWholeCoresOfBoth()
    {
        var run = await _script.RunAsync("--rounds", "2", "--seconds", "1", _script.PathOf("out"));

        Assert.True(run.Succeeded, run.ToString());
        Assert.Equal(
            "server on CPUs 0,2,4,6; load on CPUs 1,3,5,7 with 4 threads and 128 connections", run.OutputLines[0]);
        Assert.Equal(
            ["/ping:", "/data/4096:", "/data/65536:"], run.OutputLines.Skip(1).Select(static line => line.Split(' ')[0]));
        Assert.All(run.OutputLines.Skip(1), static line => Assert.Contains("rate 0.500 ", line, StringComparison.Ordinal));
        Assert.Equal(
            ["1 stock", "1 ours", "2 ours", "2 stock"],
            File.ReadLines(_script.PathOf("out/table.tsv")).Skip(1)
                .Select(static line => string.Join(' ', line.Split('\t')[..2])).Distinct());
        Assert.Equal(
            "receive buffers of 200 requests: 0 on the request's node, 200 on another, 0 not known\n",
            await File.ReadAllTextAsync(_script.PathOf("out/ours-1-locality.txt"), TestContext.Current.CancellationToken));
    }

    [Fact]
    public async Task Run_RequestsFail_FailsAndNamesTheFile()
    {
        AddLoad("echo '  Non-2xx or 3xx responses: 7'");

        var run = await _script.RunAsync("--rounds", "1", "--seconds", "1", _script.PathOf("out"));

        Assert.Equal(1, run.ExitCode);
        Assert.Equal($"whole-server: requests failed: {_script.PathOf("out/stock-1-ping.txt")}", Assert.Single(run.ErrorLines));
    }

    // As when another server has the port: Kestrel's sockets answer where ours should.
    [Fact]
    public async Task Run_AnotherServerAnswers_Fails()
    {
        _script.AddProgram("dotnet", "exit 1");
        _script.AddProgram("curl", """echo '{"node":1,"cpu":2,"thread":9,"loop":3,"buffer":{}}' """);

        var run = await _script.RunAsync("--rounds", "1", "--seconds", "1", _script.PathOf("out"));

        Assert.Equal(1, run.ExitCode);
        Assert.StartsWith(
            "whole-server: the server (stock) does not answer ", Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("a folder is missing")]
    [InlineData("unknown option --fast", "--fast", "out")]
    [InlineData("one folder, not also b", "a", "b")]
    [InlineData("whole numbers from 1", "--rounds", "0", "out")]
    [InlineData("--seconds needs a number", "out", "--seconds")]
    public async Task Run_WrongArguments_SaysWhatIsWrong(string expected, params string[] arguments)
    {
        var run = await _script.RunAsync(arguments);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains(expected, Assert.Single(run.ErrorLines), StringComparison.Ordinal);
    }

    // Ours completes twice as many requests.
    private void AddLoad(string more) => _script.AddProgram(
        "wrk",
        $"""
        [ "$(cat "$here/side")" = ours ] && rate=2000 || rate=1000
        echo '     99%    3.50ms'
        echo "  $rate requests in 1.00s, 1.00MB read"
        {more}
        echo "Requests/sec:   $rate.00"
        """);
}
