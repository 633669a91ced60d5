using System.Diagnostics;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

/// <summary>What a process writes, on its way to our own output; decides when there is no more to wait for.</summary>
internal sealed class ChildOutput
{
    // A process that goes on in the background may keep the output open for ever.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    // More than this was not in the pipe when its writer ended (pipe(7), pipe-max-size): a process in the background writes on.
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

    /// <summary>Waits no longer for somebody to read our output.</summary>
    public void Abandon() => _abandoned.TrySetResult();

    /// <summary>
    /// After the process has ended: waits until all it wrote is passed on, however slowly that is read. Only who keeps the
    /// output open and says nothing, or will not stop, is not waited for.
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
