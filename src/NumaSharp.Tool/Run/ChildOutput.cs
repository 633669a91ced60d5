using System.Diagnostics;
using NumaSharp.Core;

namespace NumaSharp.Tool.Run;

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
