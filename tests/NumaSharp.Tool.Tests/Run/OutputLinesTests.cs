using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

public sealed class OutputLinesTests : IDisposable
{
    private readonly StuckStream _stuck = new();

    public void Dispose() => _stuck.Dispose();

    // A full pipe takes a part of a line, and would take another writer's line next.
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 2)]
    public void Write_OutputIsStuck_ErrorsWaitWhereBothAreOneFile(bool areOneFile, int writers)
    {
        var lines = new OutputLines(_stuck, _stuck, areOneFile);
        using var source = new MemoryStream([.. "a\n"u8]);
        var copying = Start(() => lines.ForOutput(new(0)).CopyAsync(source).GetAwaiter().GetResult());
        Wait.Until(() => _stuck.Writers == 1);
        var saying = Start(() => lines.Say(new(0), "b"));
        Wait.Until(() => _stuck.Writers == writers);
        Wait.UntilBlocked(saying);

        Assert.Equal(writers, _stuck.Writers);
        _stuck.Free();
        Wait.For(copying);
        Wait.For(saying);
        Assert.Equal(2, _stuck.Writers);
    }

    private static Thread Start(Action action)
    {
        var thread = new Thread(() => action()) { IsBackground = true };
        thread.Start();
        return thread;
    }

    private sealed class StuckStream : MemoryStream
    {
        private readonly ManualResetEventSlim _free = new(false, spinCount: 0);
        private int _writers;

        public int Writers => Volatile.Read(ref _writers);

        public void Free() => _free.Set();

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            Interlocked.Increment(ref _writers);
            _free.Wait();
        }

        protected override void Dispose(bool disposing)
        {
            _free.Dispose();
            base.Dispose(disposing);
        }
    }
}
