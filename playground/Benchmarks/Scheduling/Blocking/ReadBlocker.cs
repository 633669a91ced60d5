using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;

namespace NumaSharp.Playground.Benchmarks.Scheduling.Blocking;

/// <summary>A synchronous read of a pipe: a wait that the runtime does not see.</summary>
internal sealed class ReadBlocker : IBlocker
{
    // A byte for each reader; all of them fit into the pipe.
    private const int Bytes = 4096;

    private readonly AnonymousPipeServerStream _writer = new(PipeDirection.Out);
    private readonly FileStream _reader;

    // read(2) itself: the pipe's own stream reads through the engine of sockets.
    public ReadBlocker() => _reader = new FileStream(
        new SafeFileHandle(_writer.ClientSafePipeHandle.DangerousGetHandle(), ownsHandle: false), FileAccess.Read, bufferSize: 0);

    public void Block() => _reader.ReadByte();

    public void Release() => _writer.Write(new byte[Bytes]);

    public void Dispose()
    {
        _reader.Dispose();
        _writer.DisposeLocalCopyOfClientHandle();
        _writer.Dispose();
    }
}
