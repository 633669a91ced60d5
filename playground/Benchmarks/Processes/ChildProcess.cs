using System.Collections.Concurrent;
using System.ComponentModel;
using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Interop;
using NumaSharp.Playground.Benchmarks.Interop;

namespace NumaSharp.Playground.Benchmarks.Processes;

/// <summary>A process that this one started, and that does not outlive it: it is killed by id on every way out.</summary>
internal sealed class ChildProcess : IDisposable
{
    private const int KeptLines = 400;
    private static readonly ConcurrentDictionary<ChildProcess, int> s_running = new();

    private readonly Process _process;
    private readonly RecentLines _output = new(KeptLines);
    private readonly RecentLines _errors = new(KeptLines);

    static ChildProcess() => AppDomain.CurrentDomain.ProcessExit += (_, _) =>
    {
        foreach (var child in s_running.Keys)
        {
            child.Kill();
        }
    };

    private ChildProcess(ProcessStartInfo info, Action<string?>? output, Action<string?>? error)
    {
        info.UseShellExecute = false;
        info.RedirectStandardOutput = true;
        info.RedirectStandardError = true;
        _process = new Process { StartInfo = info };
        _process.OutputDataReceived += (_, line) => Take(line.Data, _output, output);
        _process.ErrorDataReceived += (_, line) => Take(line.Data, _errors, error);
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    public int ExitCode => _process.ExitCode;

    public IReadOnlyList<string> Output => _output.ToList();

    /// <summary>Its last output: standard error, or standard output if that is empty.</summary>
    public string LastWords => string.Join('\n', _errors.ToList() is { Count: > 0 } errors ? errors : Output);

    /// <summary>Starts it.</summary>
    /// <param name="info">What to start; if it redirects standard input, <see cref="WriteLine"/> works.</param>
    /// <param name="cpu">Where it runs; null for anywhere.</param>
    /// <param name="output">Called with each line of its standard output, and with null at the end; null for nothing.</param>
    /// <param name="error">The same for its standard error.</param>
    public static ChildProcess Start(
        ProcessStartInfo info, int? cpu, Action<string?>? output = null, Action<string?>? error = null)
    {
        var child = new ChildProcess(info, output, error);
        try
        {
            child.StartOn(cpu);
        }
        catch
        {
            child._process.Dispose();
            throw;
        }

        s_running.TryAdd(child, child.Id);
        child._process.BeginOutputReadLine();
        child._process.BeginErrorReadLine();
        return child;
    }

    /// <summary>Writes a line to its standard input.</summary>
    public void WriteLine(string line)
    {
        try
        {
            _process.StandardInput.WriteLine(line);
        }
        catch (IOException failure)
        {
            throw new BenchmarkException(
                $"'{_process.StartInfo.FileName}' does not read what it is asked ({failure.Message}): {LastWords}");
        }
    }

    /// <summary>Asks it to end: SIGTERM.</summary>
    public void Terminate()
    {
        const int SIGTERM = 15;
        if (_process.HasExited || HarnessCalls.Kill(Id, SIGTERM) is { Succeeded: false })
        {
            throw new BenchmarkException($"'{_process.StartInfo.FileName}' ended before it was asked to:\n{LastWords}");
        }
    }

    /// <summary>Waits until it ended and everything that it wrote was read.</summary>
    public Task WaitForExitAsync(CancellationToken cancellation) => _process.WaitForExitAsync(cancellation);

    public void Dispose()
    {
        Kill();
        s_running.TryRemove(this, out _);
        _process.Dispose();
    }

    // The end of a stream comes as null.
    private static void Take(string? line, RecentLines kept, Action<string?>? passedOn)
    {
        kept.Add(line);
        passedOn?.Invoke(line);
    }

    // A child inherits the mask of the thread that starts it, so the runtime in it sees one CPU from its first
    // instruction. A thread of its own takes the mask: nothing else of this process is pinned.
    private void StartOn(int? cpu)
    {
        Exception? failure = null;
        var starter = new Thread(() =>
        {
            try
            {
                Pin(cpu);
                _process.Start();
            }
            catch (Exception exception) when (exception is Win32Exception or BenchmarkException)
            {
                failure = exception;
            }
        });
        starter.Start();
        starter.Join();
        if (failure is not null)
        {
            throw new BenchmarkException($"'{_process.StartInfo.FileName}' cannot be started: {failure.Message}");
        }
    }

    private static void Pin(int? cpu)
    {
        if (cpu is { } id && Native.SchedSetAffinity(0, CpuSet.FromIds(id).AsWords()) is { Succeeded: false } result)
        {
            throw new BenchmarkException($"sched_setaffinity to CPU {id} says {result.ErrorName}");
        }
    }

    private void Kill()
    {
        if (!_process.HasExited)
        {
            // SIGKILL: a server under measurement has nothing to save, and a hung one must go too.
            _process.Kill();
            _process.WaitForExit();
        }
    }
}
