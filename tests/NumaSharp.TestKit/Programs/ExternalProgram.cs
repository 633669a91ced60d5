using System.Diagnostics;

namespace NumaSharp.TestKit;

/// <summary>A program of the machine that a test needs, with a limit to how long it may take.</summary>
public sealed class ExternalProgram : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    private readonly Process _process;
    private readonly Task<string> _errors;
    private Task _reading = Task.CompletedTask;

    private ExternalProgram(string name, string[] arguments)
    {
        _process = Process.Start(
            new ProcessStartInfo(name, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        _errors = _process.StandardError.ReadToEndAsync(CancellationToken.None);
    }

    /// <summary>Skips the test where there is no such program.</summary>
    public static void SkipUnlessThere(string name)
    {
        var folders = Environment.GetEnvironmentVariable("PATH")!.Split(Path.PathSeparator);
        Assert.SkipUnless(
            Array.Exists(folders, folder => File.Exists(Path.Combine(folder, name))), $"{name} is not installed.");
    }

    /// <summary>Runs it to its end, which must be a good one.</summary>
    /// <returns>What it wrote.</returns>
    public static async Task<string> RunAsync(string name, params string[] arguments)
    {
        var result = await TryAsync(name, arguments);
        Assert.True(result.Succeeded, $"{name} {string.Join(' ', arguments)}: {result}");
        return result.Output;
    }

    /// <summary>Runs it to its end.</summary>
    public static Task<ProgramResult> TryAsync(string name, params string[] arguments) => TryAsync(name, s_patience, arguments);

    /// <summary>Runs it to its end, for at most so long.</summary>
    public static async Task<ProgramResult> TryAsync(string name, TimeSpan patience, params string[] arguments)
    {
        await using var program = new ExternalProgram(name, arguments);
        using var limit = new CancellationTokenSource(patience);
        try
        {
            var output = program._process.StandardOutput.ReadToEndAsync(limit.Token);
            await program._process.WaitForExitAsync(limit.Token);
            return new ProgramResult(program._process.ExitCode, await output, await program._errors);
        }
        catch (OperationCanceledException)
        {
            throw new TimeoutException($"{name} {string.Join(' ', arguments)} takes more than {patience}.");
        }
    }

    /// <summary>Starts one that runs until it is disposed of, and waits until it has written a line with that text.</summary>
    public static async Task<ExternalProgram> StartAsync(string name, string readyLine, params string[] arguments)
    {
        var program = new ExternalProgram(name, arguments);
        try
        {
            await program.WaitForLineAsync(readyLine);
            return program;
        }
        catch
        {
            await program.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
        }

        await Task.WhenAll(_reading, _errors);
        _process.Dispose();
    }

    private async Task WaitForLineAsync(string text)
    {
        using var limit = new CancellationTokenSource(s_patience);
        string? line;
        do
        {
            line = await _process.StandardOutput.ReadLineAsync(limit.Token);
            Assert.NotNull(line);
        }
        while (!line.Contains(text, StringComparison.Ordinal));

        // What nobody wants must not fill the pipe.
        _reading = _process.StandardOutput.ReadToEndAsync(CancellationToken.None);
    }
}
