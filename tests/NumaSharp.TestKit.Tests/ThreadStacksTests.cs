using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace NumaSharp.TestKit.Tests;

public sealed class ThreadStacksTests
{
    [Fact]
    public void Capture_AThreadThatIsBlocked_ShowsWhereByItsName()
    {
        SkipUnlessThereAreDumps();
        using var gate = new ManualResetEvent(initialState: false);
        using var isThere = new ManualResetEvent(initialState: false);
        var thread = new Thread(() => BlockHere(isThere, gate)) { Name = "kit-blocked" };
        thread.Start();
        Wait.For(isThere);
        try
        {
            var stacks = ThreadStacks.Capture();
            Assert.DoesNotContain("No dump", stacks, StringComparison.Ordinal);
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

    private static void SkipUnlessThereAreDumps()
    {
        Assert.SkipUnless(
            File.Exists(Path.Join(RuntimeEnvironment.GetRuntimeDirectory(), "createdump")), "This runtime has no createdump.");
        Assert.SkipUnless(KernelThreads.CanTrace, "No process may be traced here (ptrace).");
        Assert.SkipUnless(
            Directory.EnumerateFiles(Path.GetTempPath(), $"dotnet-diagnostic-{Environment.ProcessId}-*").Any(),
            "This process has no socket for diagnostics: it is turned off, or its path would be too long.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void BlockHere(ManualResetEvent isThere, ManualResetEvent gate)
    {
        isThere.Set();
        gate.WaitOne();
    }
}
