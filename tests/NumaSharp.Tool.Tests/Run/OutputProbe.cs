using System.Text;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>Takes what children write, and waits for a text.</summary>
internal sealed class OutputProbe : MemoryStream
{
    private readonly Lock _lock = new();
    private readonly List<(string Text, TaskCompletionSource Seen)> _waiting = [];

    public string Text
    {
        get
        {
            lock (_lock)
            {
                return Encoding.UTF8.GetString(ToArray());
            }
        }
    }

    public string[] Lines => Text.Split('\n', StringSplitOptions.RemoveEmptyEntries);

    public Task WaitForAsync(string text)
    {
        var seen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_lock)
        {
            _waiting.Add((text, seen));
            Check();
        }

        return seen.Task.Within();
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        lock (_lock)
        {
            base.Write(buffer);
            Check();
        }
    }

    private void Check()
    {
        foreach (var (text, seen) in _waiting)
        {
            if (Encoding.UTF8.GetString(ToArray()).Contains(text, StringComparison.Ordinal))
            {
                seen.TrySetResult();
            }
        }
    }
}
