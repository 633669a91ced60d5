using System.Buffers;
using System.ComponentModel;
using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>A running process.</summary>
internal sealed class NodeChild : IDisposable
{
    private readonly NodeProcess _node;
    private readonly Process _process;
    private readonly ChildOutput _output;
    private readonly TimeProvider _time;

    private NodeChild(NodeProcess node, Process process, ChildOutput output, TimeProvider time)
    {
        _node = node;
        _process = process;
        _output = output;
        _time = time;
    }

    public NumaNodeId NodeId => _node.NodeId;

    public bool HasEnded => _process.HasExited;

    /// <summary>Starts the launcher, which waits until <see cref="Run"/> says what it becomes.</summary>
    /// <exception cref="Win32Exception">The launcher cannot be started.</exception>
    public static async Task<NodeChild> StartAsync(
        NodeProcess node, NodeCommand command, SpawnThread spawner, OutputLines lines, TimeProvider time)
    {
        var process = new Process { StartInfo = command.Launcher.CreateStartInfo(NodeLauncher.Verb) };
        try
        {
            await spawner.RunAsync(() => process.Start());
        }
        catch
        {
            process.Dispose();
            throw;
        }

        return new NodeChild(node, process, new ChildOutput(node.NodeId, process, lines), time);
    }

    /// <summary>Lets the launcher place itself on the node and become the program.</summary>
    public void Run(NodeCommand command)
    {
        try
        {
            command.SpecFor(_node).Write(_process.StandardInput.BaseStream);
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has already ended; its exit code reports why.
        }
    }

    /// <summary>Waits until it has ended and its output is copied.</summary>
    /// <returns>Its exit code, or 128 + the signal that ended it.</returns>
    public async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync();
        await _output.WaitAsync(_time);
        return _process.ExitCode;
    }

    /// <summary>
    /// Sends a signal to the process, or also to all processes in its group; SIGKILL always goes to the group.
    /// </summary>
    public void Signal(int signal, bool toGroup)
    {
        if (signal == ProcessCalls.SIGKILL)
        {
            _output.Abandon();
        }

        if (_process.HasExited)
        {
            return;
        }

        if (!(toGroup || signal == ProcessCalls.SIGKILL) || !ProcessCalls.Kill(-_process.Id, signal).Succeeded)
        {
            // Also if the launcher has not created its group yet. A process that has ended needs no signal.
            _ = ProcessCalls.Kill(_process.Id, signal);
        }
    }

    public void Dispose() => _process.Dispose();
}

/// <summary>A process's output on its way to ours; decides when to stop waiting for more.</summary>
internal sealed class ChildOutput
{
    // A background process may keep the output open forever.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // A pipe cannot hold more than this after its writer ended (pipe(7), pipe-max-size): a background process is still writing.
    private const long MaxRest = 1024 * 1024;

    private readonly LinePrefixer[] _copies;
    private readonly Task _completion;
    private readonly TaskCompletionSource _abandoned = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ChildOutput(NumaNodeId nodeId, Process process, OutputLines lines)
    {
        var (output, error) = (lines.ForOutput(nodeId), lines.ForError(nodeId));
        _copies = [output, error];
        _completion = Task.WhenAll(
            output.CopyAsync(process.StandardOutput.BaseStream), error.CopyAsync(process.StandardError.BaseStream));
    }

    /// <summary>Stops waiting for our output to be read.</summary>
    public void Abandon() => _abandoned.TrySetResult();

    /// <summary>
    /// After the process has ended: waits until all its output is passed on, however slowly that is read. Does not wait for a
    /// background process that keeps the output open silently, or never stops writing.
    /// </summary>
    public async Task WaitAsync(TimeProvider time)
    {
        var atEnd = Copied();
        while (true)
        {
            var before = Copied();
            var patience = Task.Delay(s_patience, time);
            if (await Task.WhenAny(_completion, _abandoned.Task, patience) != patience)
            {
                return;
            }

            var isSilent = Copied() == before && !_copies.Any(static copy => copy.IsWriting);
            if (isSilent)
            {
                Array.ForEach(_copies, static copy => copy.EndLine());
                return;
            }

            if (Copied() - atEnd > MaxRest)
            {
                return;
            }
        }
    }

    private long Copied() => _copies.Sum(static copy => copy.Copied);
}

/// <summary>
/// Copies a child's output line by line with a prefix. Bytes are not decoded, so any encoding is preserved. A line is written
/// when it is complete or the output ends, so lines of several children never mix.
/// </summary>
internal sealed class LinePrefixer(Stream output, Lock outputLock, byte[] prefix)
{
    // Longer lines are broken here: a child without line ends must not use up all memory.
    private const int MaxLineBytes = 1024 * 1024;
    private const int ReadBytes = 16 * 1024;

    private readonly Lock _lock = new();
    private readonly ArrayBufferWriter<byte> _complete = new();
    private readonly ArrayBufferWriter<byte> _line = new();
    private long _copied;
    private volatile bool _isWriting;

    /// <summary>Whether it holds bytes that the reader of our own output has not taken yet.</summary>
    public bool IsWriting => _isWriting;

    /// <summary>The number of bytes received from the source.</summary>
    public long Copied => Volatile.Read(ref _copied);

    /// <summary>
    /// Copies until the source ends, and closes it. When the reader of our own output has gone, the source is closed at once, so
    /// that its writer gets the SIGPIPE that it would get without us.
    /// </summary>
    public async Task CopyAsync(Stream source)
    {
        var buffer = new byte[ReadBytes];
        try
        {
            int count;
            while ((count = await source.ReadAsync(buffer)) > 0)
            {
                _isWriting = true;
                Volatile.Write(ref _copied, _copied + count);
                Take(buffer.AsSpan(0, count));
                _isWriting = false;
            }

            Take([]);
        }
        catch (IOException)
        {
            // Our output has no reader.
        }
        finally
        {
            await source.DisposeAsync();
        }
    }

    /// <summary>
    /// Passes on an incomplete line if the rest is not expected soon. Later output starts a new line.
    /// </summary>
    public void EndLine()
    {
        // The holder of the lock has new output, and will write it.
        if (!_lock.TryEnter())
        {
            return;
        }

        try
        {
            CompleteLast();
            Flush();
        }
        catch (IOException)
        {
            // Our output has no reader; the copying will find that, too.
        }
        finally
        {
            _lock.Exit();
        }
    }

    private void Take(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (bytes.IsEmpty)
            {
                CompleteLast();
            }

            Append(bytes);
            Flush();
        }
    }

    private void Append(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var end = bytes.IndexOf((byte)'\n');
            var part = end < 0 ? bytes : bytes[..end];
            _line.Write(part);
            if (end >= 0)
            {
                CompleteLine();
                part = bytes[..(end + 1)];
            }
            else if (_line.WrittenCount >= MaxLineBytes)
            {
                CompleteLine();
            }

            bytes = bytes[part.Length..];
        }
    }

    private void CompleteLast()
    {
        if (_line.WrittenCount > 0)
        {
            CompleteLine();
        }
    }

    private void CompleteLine()
    {
        _complete.Write(prefix);
        _complete.Write(_line.WrittenSpan);
        _complete.Write("\n"u8);
        _line.ResetWrittenCount();
    }

    private void Flush()
    {
        if (_complete.WrittenCount == 0)
        {
            return;
        }

        lock (outputLock)
        {
            output.Write(_complete.WrittenSpan);
            output.Flush();
        }

        _complete.ResetWrittenCount();
    }
}
