using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace NumaSharp.TestKit;

/// <summary>A process that a test starts. Disposing of it kills it and all that it has started.</summary>
public sealed class ExternalProgram : IAsyncDisposable
{
    private readonly Process _process;
    private readonly string _command;
    private readonly StringBuilder _output = new();
    private readonly StringBuilder _errors = new();
    private readonly Task _reading;

    private ExternalProgram(ProcessStartInfo start)
    {
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        _command = $"{start.FileName} {string.Join(' ', start.ArgumentList)}";
        _process = Process.Start(start)!;
        _reading = Task.WhenAll(
            ReadAsync(_process.StandardOutput, _output), ReadAsync(_process.StandardError, _errors));
    }

    public int Id => _process.Id;

    public bool HasEnded => _process.HasExited;

    /// <summary>What it has written so far as its result.</summary>
    public string Output => TextOf(_output);

    /// <summary>What it has written so far to its standard error.</summary>
    public string Errors => TextOf(_errors);

    /// <summary>Skips the test where there is no such program.</summary>
    public static void SkipUnlessThere(string name) => Assert.SkipUnless(IsThere(name), $"{name} is not installed.");

    public static bool IsThere(string name) => Find(name) is not null;

    /// <summary>Where the path has a program of that name.</summary>
    public static string? Find(string name) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Select(folder => Path.Combine(folder, name))
        .FirstOrDefault(File.Exists);

    /// <summary>Runs it to its end, which must be a good one.</summary>
    /// <returns>What it wrote.</returns>
    public static async Task<string> RunAsync(string name, params string[] arguments)
    {
        var result = await TryAsync(name, arguments);
        Assert.True(result.Succeeded, $"{name} {string.Join(' ', arguments)}: {result}");
        return result.Output;
    }

    /// <summary>Runs it to its end.</summary>
    public static Task<ProgramResult> TryAsync(string name, params string[] arguments) => TryAsync(name, Wait.Limit, arguments);

    /// <summary>Runs it to its end, for at most so long.</summary>
    public static Task<ProgramResult> TryAsync(string name, TimeSpan patience, params string[] arguments) =>
        TryAsync(new ProcessStartInfo(name, arguments), patience: patience);

    /// <summary>Runs it to its end, where and with what variables <paramref name="start"/> says.</summary>
    /// <param name="start">What to start; its outputs are read.</param>
    /// <param name="input">What it reads; by default what the tests would read.</param>
    /// <param name="patience">For at most so long; by default as any other wait.</param>
    public static async Task<ProgramResult> TryAsync(ProcessStartInfo start, string? input = null, TimeSpan? patience = null)
    {
        ArgumentNullException.ThrowIfNull(start);
        start.RedirectStandardInput = input is not null;
        await using var program = new ExternalProgram(start);
        using var limit = new CancellationTokenSource(patience ?? Wait.Limit);
        try
        {
            if (input is not null)
            {
                await program._process.StandardInput.WriteAsync(input.AsMemory(), limit.Token);
                program._process.StandardInput.Close();
            }

            await program._process.WaitForExitAsync(limit.Token);
            await program._reading.WaitAsync(limit.Token);
            return new ProgramResult(program._process.ExitCode, program.Output, program.Errors);
        }
        catch (OperationCanceledException)
        {
            throw new TimeoutException(
                $"It takes more than {patience ?? Wait.Limit}: {program}\n{ThreadStacks.Capture(program.Id)}");
        }
    }

    /// <summary>Starts one that runs until it ends or is disposed of.</summary>
    public static ExternalProgram Start(ProcessStartInfo start)
    {
        ArgumentNullException.ThrowIfNull(start);
        return new ExternalProgram(start);
    }

    /// <summary>Starts one that runs until it is disposed of, and waits until it has written a line with that text.</summary>
    public static Task<ExternalProgram> StartAsync(string name, string readyLine, params string[] arguments) =>
        StartAsync(new ProcessStartInfo(name, arguments), readyLine);

    /// <inheritdoc cref="StartAsync(string, string, string[])"/>
    public static async Task<ExternalProgram> StartAsync(ProcessStartInfo start, string readyLine)
    {
        var program = Start(start);
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

    /// <summary>Waits until it has written so many lines with that text as its result; fails when it ends without.</summary>
    public async Task WaitForLineAsync(string text, int count = 1)
    {
        bool IsWritten() => Output.Split('\n')[..^1].Count(line => line.Contains(text, StringComparison.Ordinal)) >= count;

        await Wait.UntilAsync(
            () => IsWritten() || (HasEnded && _reading.IsCompleted), ToString, $"{count} times '{text}' from {_command}");
        Assert.True(IsWritten(), $"It has ended without '{text}': {this}");
    }

    /// <summary>Sends a process a signal such as <c>TERM</c>.</summary>
    /// <remarks>By the shell's own command: <c>kill</c> as a program is procps', which small images lack.</remarks>
    public static Task SignalAsync(int processId, string name) =>
        RunAsync("sh", "-c", $"kill -{name} {processId.ToString(CultureInfo.InvariantCulture)}");

    /// <summary>Sends it a signal such as <c>TERM</c>.</summary>
    public Task SignalAsync(string name) => SignalAsync(Id, name);

    /// <summary>Waits for its end.</summary>
    /// <returns>Its exit code.</returns>
    public async Task<int> WaitForEndAsync()
    {
        await _process.WaitForExitAsync().Within($"the end of {this}");
        await _reading.Within($"the end of what is written by {this}");
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync().Within($"the end of {this}");
        }

        await _reading.Within($"the end of what is written by {this}");
        _process.Dispose();
    }

    public override string ToString() => $"{_command}: {Output}{Errors}";

    // As it comes: a test may wait for a line, and unread output would fill the pipe.
    private static async Task ReadAsync(StreamReader from, StringBuilder to)
    {
        var part = new char[4096];
        while (await from.ReadAsync(part) is not 0 and var length)
        {
            lock (to)
            {
                to.Append(part, 0, length);
            }
        }
    }

    private static string TextOf(StringBuilder text)
    {
        lock (text)
        {
            return text.ToString();
        }
    }
}
