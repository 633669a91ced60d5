using System.Diagnostics;

namespace NumaSharp.Plugins.Windows.Tests.Wine;

/// <summary>Builds the probe for Windows and runs it under Wine, in a Windows of its own that is gone afterwards.</summary>
internal sealed class Wine : IAsyncDisposable
{
    private const string DebianFolder = "/usr/lib/wine";

    private static readonly string[] s_readOfACache =
        ["level", "shared_cpu_map", "coherency_line_size", "ways_of_associativity", "size", "type"];

    // More than Wait.Limit: the build, and the first start of Wine, which makes a Windows, take minutes on a busy machine.
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(15);

    // .NET stops all threads, for a collection or to replace code, by FlushProcessWriteBuffers: without it, one may not see that
    // it has to stop. Debian's Wine 8.0 has that function, and it does nothing. Once in many runs .NET then finds its own data
    // spoilt ("Internal CLR error"). So this memory is never collected (256 MiB, in hexadecimal), and code is compiled once.
    private static readonly (string Name, string Value)[] s_withoutSuspensions =
    [
        ("DOTNET_GCgen0size", "10000000"),
        ("DOTNET_gcConcurrent", "0"),
        ("DOTNET_TieredCompilation", "0"),
    ];

    private readonly TemporaryFolder _folder = new();

    /// <summary>Debian keeps it out of the path.</summary>
    public static string? Executable { get; } = Find("wine64");

    /// <summary>
    /// Whether this machine's sysfs has what Wine reads of a cache. A virtual machine whose hypervisor hides the cache
    /// leaves of CPUID has no such files, or some of them, and then Wine knows no caches.
    /// </summary>
    public static bool IsToldOfCaches { get; } = Enumerable.Range(0, Environment.ProcessorCount).All(static cpu =>
        Directory.Exists(CachesOf(cpu)) && Directory.EnumerateDirectories(CachesOf(cpu), "index*").Any(static index =>
            s_readOfACache.All(file => File.Exists(Path.Combine(index, file)))));

    public static async Task<string> BuildProbeAsync()
    {
        // A self-contained build is as complete as what is published, without a second copy of the framework. Outputs of its
        // own, because tests of other projects run beside this one and use the ordinary ones.
        var artifacts = Repository.PathOf("artifacts", "windows");
        var (exitCode, output) = await RunIntoFileAsync(
            Path.Combine(artifacts, "build.txt"),
            DotnetHost.Path,
            [
                "build", Repository.PathOf("tests", "Apps", "WindowsProbe"), "-c", "Release", "-r", "win-x64",
                "--self-contained", $"-p:ArtifactsPath={artifacts}", "-p:RunAnalyzers=false", "-v", "q", "--nologo",
                "--disable-build-servers",
            ]);
        AheadOfTime.SkipIfAPackageIsMissing(output);
        Assert.True(exitCode == 0, $"dotnet build ended with {exitCode}: {output}");
        return Path.Combine(artifacts, "bin", "WindowsProbe", "release_win-x64", "NumaSharp.WindowsProbe.exe");
    }

    /// <summary>Skips the test where not even a program of Wine's own runs: that says nothing of ours.</summary>
    public async Task SkipUnlessItStartsAsync()
    {
        var (exitCode, output) = await RunAsync("cmd", "/c", "exit 0");
        Assert.SkipUnless(exitCode == 0, $"{Executable} does not start a program: it ended with {exitCode}: {output}");
    }

    public Task<(int ExitCode, string Output)> RunAsync(params string[] command) => RunIntoFileAsync(
        _folder.PathOf("output.txt"),
        Executable!,
        command,
        [("WINEPREFIX", _folder.PathOf("prefix")), ("WINEDEBUG", "-all"), .. s_withoutSuspensions]);

    public async ValueTask DisposeAsync()
    {
        try
        {
            // Wine's services outlive the program for a while and write into the folder.
            if (Find("wineserver64") is { } server)
            {
                await EndServicesAsync(server, "-k");
                await EndServicesAsync(server, "-w");
            }
        }
        finally
        {
            _folder.Dispose();
        }
    }

    private static string CachesOf(int cpu) => $"/sys/devices/system/cpu/cpu{cpu}/cache";

    // Its exit code says only whether there were any.
    private async Task EndServicesAsync(string server, string option) =>
        await RunIntoFileAsync(_folder.PathOf("end.txt"), server, [option], ("WINEPREFIX", _folder.PathOf("prefix")));

    private static string? Find(string name)
    {
        var debians = Path.Combine(DebianFolder, name);
        return ExternalProgram.Find(name) ?? (File.Exists(debians) ? debians : null);
    }

    // Into a file, not the pipes of the ExternalProgram: what the program leaves running would keep a pipe open.
    private static async Task<(int ExitCode, string Output)> RunIntoFileAsync(
        string log, string program, string[] arguments, params (string Name, string Value)[] variables)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(log)!);
        const string IntoFile = "log=$1; shift; exec \"$@\" >\"$log\" 2>&1";
        var start = new ProcessStartInfo("sh", ["-c", IntoFile, "sh", log, program, .. arguments]);

        // A build inside of "dotnet test" is one of its own.
        foreach (var name in start.Environment.Keys.Where(IsOfMsbuild).ToArray())
        {
            start.Environment.Remove(name);
        }

        foreach (var (name, value) in variables)
        {
            start.Environment[name] = value;
        }

        try
        {
            var result = await ExternalProgram.TryAsync(start, patience: s_limit);
            return (result.ExitCode, await File.ReadAllTextAsync(log));
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException($"{exception.Message}\n{await File.ReadAllTextAsync(log)}", exception);
        }
    }

    private static bool IsOfMsbuild(string variable) => variable.StartsWith("MSBUILD", StringComparison.OrdinalIgnoreCase);
}
