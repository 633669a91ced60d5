using System.ComponentModel;
using System.Diagnostics;
using NumaSharp.Core;
using NumaSharp.Tool.Interop;

namespace NumaSharp.Tool.Run;

/// <summary>A process that runs.</summary>
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

    /// <summary>Starts a process on its node.</summary>
    /// <exception cref="Win32Exception">The launcher cannot be started.</exception>
    public static async Task<NodeChild> StartAsync(
        NodeProcess node, NodeCommand command, SpawnThread spawner, OutputLines lines, TimeProvider time)
    {
        var process = new Process { StartInfo = command.Launcher.CreateStartInfo() };
        try
        {
            await spawner.RunAsync(() => process.Start());
        }
        catch
        {
            process.Dispose();
            throw;
        }

        var output = new ChildOutput(node.NodeId, process, lines);
        try
        {
            command.SpecFor(node).Write(process.StandardInput.BaseStream);
            process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended already; its exit code tells.
        }

        return new NodeChild(node, process, output, time);
    }

    /// <summary>Waits until it ended and what it wrote is copied.</summary>
    /// <returns>Its exit code, or 128 + the signal that ended it.</returns>
    public async Task<int> WaitAsync()
    {
        await _process.WaitForExitAsync();
        await _output.WaitAsync(_time);
        return _process.ExitCode;
    }

    /// <summary>
    /// Sends a signal to the process, or to everything that it has started in its group, too; SIGKILL always is for all.
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
            // Also where the launcher has not made its group yet. A process that ended meanwhile needs no signal.
            _ = ProcessCalls.Kill(_process.Id, signal);
        }
    }

    public void Dispose() => _process.Dispose();
}
