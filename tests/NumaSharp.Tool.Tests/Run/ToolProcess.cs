using System.Diagnostics;
using System.Globalization;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>The command as a user starts it.</summary>
internal sealed class ToolProcess : IDisposable
{
    private readonly Process _process;

    private ToolProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public static ToolProcess Start(params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp run needs Linux.");
        return new ToolProcess(Process.Start(new ProcessStartInfo(NodeRun.Dotnet, [NodeRun.ToolPath, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!);
    }

    public Task<string?> ReadLineAsync() => _process.StandardOutput.ReadLineAsync().WaitAsync(NodeRun.Patience);

    public void CloseOutput() => _process.StandardOutput.Close();

    public void CloseInput() => _process.StandardInput.Close();

    public Task<string> ReadErrorsAsync() => _process.StandardError.ReadToEndAsync().WaitAsync(NodeRun.Patience);

    public async Task SignalAsync(string name)
    {
        using var kill = Process.Start("kill", [$"-{name}", Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync();
    }

    public async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync().WaitAsync(NodeRun.Patience);
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
}
