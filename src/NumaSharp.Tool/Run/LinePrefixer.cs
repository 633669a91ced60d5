using System.Buffers;

namespace NumaSharp.Tool.Run;

/// <summary>
/// Copies a child's output line by line with a prefix. Bytes are not decoded: whatever encoding they have stays as it is. A
/// line is written when it is complete or the output ends, so lines of several children never mix.
/// </summary>
internal sealed class LinePrefixer(Stream output, Lock outputLock, byte[] prefix)
{
    // A line that is longer gets a break here: a child without line ends must not take all memory.
    private const int MaxLineBytes = 1024 * 1024;
    private const int ReadBytes = 16 * 1024;

    private readonly Lock _lock = new();
    private readonly ArrayBufferWriter<byte> _complete = new();
    private readonly ArrayBufferWriter<byte> _line = new();
    private long _copied;
    private volatile bool _isWriting;

    /// <summary>Whether it has something that the reader of our own output has not taken yet.</summary>
    public bool IsWriting => _isWriting;

    /// <summary>The bytes that the source has given.</summary>
    public long Copied => Volatile.Read(ref _copied);

    /// <summary>
    /// Copies until the source ends, and closes it. When nobody reads our own output any more, it is closed at once, and its
    /// writer meets the SIGPIPE that it would have met without us.
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
            // Nobody reads our output.
        }
        finally
        {
            await source.DisposeAsync();
        }
    }

    /// <summary>
    /// Passes on a line that is not complete, when no more of it is expected soon. What comes after all begins a new line.
    /// </summary>
    public void EndLine()
    {
        // Whoever holds it has something new, and goes on.
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
            // Nobody reads our output; the copying will meet that, too.
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
