using System.Buffers;

namespace NumaSharp.Tool.Run;

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
