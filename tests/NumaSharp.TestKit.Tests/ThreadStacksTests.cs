using System.Runtime.CompilerServices;

namespace NumaSharp.TestKit.Tests;

public sealed class ThreadStacksTests
{
    [Fact]
    public void Capture_AThreadThatIsBlocked_ShowsWhereByItsName()
    {
        using var gate = new ManualResetEvent(initialState: false);
        using var isThere = new ManualResetEvent(initialState: false);
        var thread = new Thread(() => BlockHere(isThere, gate)) { Name = "kit-blocked" };
        thread.Start();
        Wait.For(isThere);
        try
        {
            var stacks = ThreadStacks.Capture();
            Assert.SkipWhen(stacks.Contains("No dump: ", StringComparison.Ordinal), "This process cannot be dumped.");
            Assert.DoesNotContain("No managed stacks", stacks, StringComparison.Ordinal);
            Assert.Contains(nameof(BlockHere), stacks, StringComparison.Ordinal);
            Assert.Contains("kit-blocked", stacks, StringComparison.Ordinal);
        }
        finally
        {
            gate.Set();
            Wait.For(thread);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void BlockHere(ManualResetEvent isThere, ManualResetEvent gate)
    {
        isThere.Set();
        gate.WaitOne();
    }
}
