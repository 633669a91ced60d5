using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class DescriptorStreamTests
{
    public DescriptorStreamTests() => Assert.SkipUnless(OperatingSystem.IsLinux(), "Descriptors are those of Unix.");

    [Fact]
    public async Task Write_MoreThanAPipeHolds_AllArrives()
    {
        var bytes = new byte[1024 * 1024];
        new Random(1).NextBytes(bytes);
        using var reader = new AnonymousPipeServerStream(PipeDirection.In);
        var writing = Task.Factory.StartNew(
            () =>
            {
                using var stream = new DescriptorStream(DescriptorOf(reader.ClientSafePipeHandle));
                stream.Write(bytes);
                reader.DisposeLocalCopyOfClientHandle();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        using var received = new MemoryStream();
        await reader.CopyToAsync(received).Within();
        await writing;

        Assert.Equal(bytes, received.ToArray());
    }

    [Fact]
    public void AreSame_Descriptors_TellsTheEndsOfOnePipeFromOthers()
    {
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out);
        using var other = new AnonymousPipeServerStream(PipeDirection.Out);
        var (one, two) = (DescriptorOf(pipe.SafePipeHandle), DescriptorOf(pipe.ClientSafePipeHandle));

        Assert.True(DescriptorStream.AreSame(one, two));
        Assert.False(DescriptorStream.AreSame(one, DescriptorOf(other.SafePipeHandle)));
        Assert.True(DescriptorStream.AreSame(int.MaxValue, one));
    }

    [Fact]
    public void Write_ReaderHasGone_Throws()
    {
        using var writer = new AnonymousPipeServerStream(PipeDirection.Out);
        writer.DisposeLocalCopyOfClientHandle();
        using var stream = new DescriptorStream(DescriptorOf(writer.SafePipeHandle));

        // A process that another test is starting has both ends until it gets to its own program.
        IOException? failure = null;
        Wait.Until(() =>
        {
            failure = Record.Exception(() => stream.Write([1])) as IOException;
            return failure is not null;
        });
        Assert.Equal("write failed: EPIPE.", failure!.Message);
    }

    private static int DescriptorOf(SafePipeHandle handle) => (int)handle.DangerousGetHandle();
}
