using System.Diagnostics;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>
/// The command as a user starts it. Not an <see cref="ExternalProgram"/>, which reads all that is written: a test may stop
/// reading.
/// </summary>
internal sealed class ToolProcess : IDisposable
{
    private const string Script = "/usr/bin/script";

    private readonly Process _process;

    private ToolProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public static ToolProcess Start(params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp run needs Linux.");
        return StartProgram(DotnetHost.Path, [NodeRun.ToolPath, .. arguments], []);
    }

    /// <summary>With variables besides, or instead of, those of the test.</summary>
    public static ToolProcess StartIn(IEnumerable<KeyValuePair<string, string>> environment, params string[] arguments) =>
        StartProgram(DotnetHost.Path, [NodeRun.ToolPath, .. arguments], environment);

    /// <summary>On a terminal; what it shows is the output.</summary>
    public static ToolProcess StartOnTerminal(
        IEnumerable<KeyValuePair<string, string>> environment, int columns, params string[] arguments)
    {
        Assert.SkipUnless(File.Exists(Script), $"{Script} (util-linux) is needed for a terminal.");
        var words = new List<string> { DotnetHost.Path, NodeRun.ToolPath }.Concat(arguments);
        var command = string.Join(' ', words.Select(static word => $"'{word}'"));

        // It starts the user's shell, and that of a user who never logs in refuses to run.
        return StartProgram(
            Script, ["-qec", $"stty cols {columns}; {command}", "/dev/null"], [new("SHELL", "/bin/sh"), .. environment]);
    }

    private static ToolProcess StartProgram(
        string program, IEnumerable<string> arguments, IEnumerable<KeyValuePair<string, string>> environment)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        return new ToolProcess(Process.Start(start)!);
    }

    public Task<string> ReadOutputAsync() => _process.StandardOutput.ReadToEndAsync().Within();

    public Task<string?> ReadLineAsync() => _process.StandardOutput.ReadLineAsync().Within();

    public void CloseOutput() => _process.StandardOutput.Close();

    public void CloseInput() => _process.StandardInput.Close();

    public Task<string> ReadErrorsAsync() => _process.StandardError.ReadToEndAsync().Within();

    /// <summary>Until it has a thread whose name begins so: then it measures, and its handler of Ctrl-C is there.</summary>
    public Task WaitForThreadAsync(string name) => Wait.UntilAsync(
        () => Directory.GetDirectories($"/proc/{Id}/task")
            .Any(task => ReadOrEmpty($"{task}/comm").StartsWith(name, StringComparison.Ordinal)));

    public Task SignalAsync(string name) => ExternalProgram.SignalAsync(Id, name);

    public async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync().Within();
        return _process.ExitCode;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }

    private static string ReadOrEmpty(string file)
    {
        try
        {
            return File.ReadAllText(file);
        }
        catch (IOException)
        {
            return ""; // The thread has ended.
        }
    }
}
