namespace NumaSharp.Benchmarks.Tests.Scripts;

/// <summary>eng/test-machines without the guests: what it accepts, and what it reads from their consoles.</summary>
public sealed class TestMachinesTests : IDisposable
{
    private const string Shape = "two-nodes: two nodes, with two cores of two threads each";
    private const string Header = "program passed failed skipped seconds";

    private readonly ScriptFolder _script = new("test-machines");

    public TestMachinesTests()
    {
        _script.CopyFile("eng/guest/boot");
        _script.CopyFile("eng/guest/system");
        _script.AddFile("tests/NumaSharp.Some.Tests/NumaSharp.Some.Tests.csproj");
        _script.AddFile("tests/NumaSharp.Browser.Tests/NumaSharp.Browser.Tests.csproj");
        _script.AddProgram("dotnet", "exit 0");
        _script.AddProgram("git", "exit 0");
    }

    public void Dispose() => _script.Dispose();

    [Fact]
    public async Task Run_Help_IsTheUsage()
    {
        var run = await _script.RunAsync("--help");

        Assert.True(run.Succeeded, run.ToString());
        Assert.Contains("  test-machines [MACHINE...] [-- [PROGRAM...] [ARGUMENT...]]", run.OutputLines);
    }

    [Theory]
    [InlineData("unknown option --fast; --help says more", "--fast")]
    [InlineData("unknown machine five-cpus; --list names them", "one-cpu", "five-cpus")]
    [InlineData("unknown program NumaSharp.Other.Tests; --list names them", "--", "NumaSharp.Other.Tests")]
    [InlineData("NumaSharp.Browser.Tests is left out: needs a browser", "one-cpu", "--", "NumaSharp.Browser.Tests")]
    public async Task Run_Misused_SaysHow(string expected, params string[] arguments)
    {
        var run = await _script.RunAsync(arguments);

        Assert.Equal(2, run.ExitCode);
        Assert.Equal($"test-machines: {expected}", Assert.Single(run.ErrorLines));
    }

    [Fact]
    public async Task List_OfATree_HasMachinesAndPrograms()
    {
        var run = await _script.RunAsync("--list");

        Assert.True(run.Succeeded, run.ToString());
        Assert.Equal(
            [
                "machines:", "one-cpu", "four-cpus", "two-nodes", "memory-only", "offline-isolated",
                "programs:", "NumaSharp.Some.Tests",
            ],
            run.OutputLines.TakeWhile(static line => line != "left out:").Select(static line => line.Trim().Split(' ')[0]));
    }

    [Fact]
    public async Task List_OfTheRepository_LeavesOutOnlyWhatIsThere()
    {
        ExternalProgram.SkipUnlessThere("bash");
        var run = await ExternalProgram.TryAsync("bash", Repository.PathOf("eng", "test-machines"), "--list");

        Assert.True(run.Succeeded, run.ToString());
        string[] leftOut =
        [
            .. run.OutputLines.SkipWhile(static line => line != "left out:").Skip(1)
                .Select(static line => line.Trim().Split(' ')[0]),
        ];
        Assert.NotEmpty(leftOut);
        Assert.All(leftOut, static name => Assert.True(Directory.Exists(Repository.PathOf("tests", name)), name));
    }

    [Theory]
    [InlineData(
        "aarch64",
        77,
        "The tests of other machines cannot be run here: the guests run this machine's programs on x86-64, and this is aarch64.")]
    [InlineData("x86_64", 1, "The guests cannot be made: NumaSharp.Some.Tests is not built: dotnet build")]
    public async Task Run_SomethingIsMissing_EndsBeforeAnything(string architecture, int exitCode, string expected)
    {
        _script.AddProgram("uname", $"echo {architecture}");

        var run = await _script.RunAsync("one-cpu");

        Assert.Equal(exitCode, run.ExitCode);
        Assert.Equal(expected, Assert.Single(run.ErrorLines));
        Assert.Empty(Directory.EnumerateFileSystemEntries(_script.PathOf("artifacts/guest")));
    }

    // The second has crashed, the third has kept the guest busy until it was ended.
    [Fact]
    public async Task Report_ProgramsThatFailed_AreFailures()
    {
        AddConsole(
            """
            guest: programs: A.Tests B.Tests C.Tests D.Tests
            guest: A.Tests begins
            passed One (1ms)
            failed Two (2ms)
              Assert.True() Failure
            skipped Three (0ms)
              not here
            Test run summary: Failed!
              failed: 1
              succeeded: 1
              skipped: 1
            guest: A.Tests ended with 2 after 33 s
            guest: B.Tests begins
            passed One (1ms)
              failed: 17
            guest: B.Tests ended with 134 after 4 s
            guest: C.Tests begins
            passed One (1ms)

            """);

        var run = await _script.RunAsync("--report");

        Assert.Equal(1, run.ExitCode);
        Assert.Equal(
            [
                Shape,
                Header,
                "A.Tests 1 1 1 33",
                "B.Tests 1 1 0 4 ended with 134, without a summary",
                "C.Tests 1 1 0 - did not end",
                "D.Tests 0 1 0 - did not begin",
                "failed Two (2ms)",
                "Assert.True() Failure",
                "3 passed, 4 failed, 1 skipped",
            ],
            WordsOf(run));
    }

    [Fact]
    public async Task Report_AllPassed_Succeeds()
    {
        AddConsole(
            """
            guest: programs: A.Tests
            guest: A.Tests begins
            passed One (1ms)
            Test run summary: Passed!
              failed: 0
              succeeded: 1
              skipped: 0
            guest: A.Tests ended with 0 after 3 s
            guest: ended with code 0

            """);

        var run = await _script.RunAsync("--report", "two-nodes");

        Assert.True(run.Succeeded, run.ToString());
        Assert.Equal([Shape, Header, "A.Tests 1 0 0 3", "1 passed, 0 failed, 0 skipped"], WordsOf(run));
    }

    [Fact]
    public async Task Report_GuestWithoutPrograms_IsAFailure()
    {
        AddConsole("[    3.14] Kernel panic\n");

        var run = await _script.RunAsync("--report");

        Assert.Equal(1, run.ExitCode);
        Assert.Equal(
            [Shape, Header, "- 0 1 0 - the guest did not come to the programs", "0 passed, 1 failed, 0 skipped"], WordsOf(run));
    }

    // As with a filter that fits nothing: for a program alone that is no failure.
    [Fact]
    public async Task Report_NoTestRan_IsAFailure()
    {
        AddConsole(
            """
            guest: programs: A.Tests
            guest: A.Tests begins
            Test run summary: Zero tests ran
              failed: 0
              succeeded: 0
              skipped: 0
            guest: A.Tests ended with 0 after 3 s
            guest: ended with code 0

            """);

        var run = await _script.RunAsync("--report");

        Assert.Equal(1, run.ExitCode);
        Assert.Equal([Shape, Header, "A.Tests 0 0 0 3", "0 passed, 0 failed, 0 skipped"], WordsOf(run));
    }

    [Theory]
    [InlineData("no machine has run yet")]
    [InlineData("one-cpu has not run yet", "one-cpu")]
    public async Task Report_OfNoRun_IsAnError(string expected, params string[] machines)
    {
        var run = await _script.RunAsync(["--report", .. machines]);

        Assert.Equal(1, run.ExitCode);
        Assert.Equal($"test-machines: {expected}", Assert.Single(run.ErrorLines));
    }

    private void AddConsole(string text) => _script.AddFile("artifacts/guest/two-nodes.log", text);

    // However wide the columns are.
    private static IEnumerable<string> WordsOf(ProgramResult run) =>
        run.OutputLines.Select(static line => string.Join(' ', line.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
}
