using System.Diagnostics;

namespace NumaSharp.TestKit.Tests;

public sealed class CreatedumpWatchTests
{
    // A program of that name that ends when its input does, which is never, stands for one that hangs.
    [Fact]
    public void End_ItTakesTooLong_HasEndedIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Looks into /proc.");
        using var folder = new TemporaryFolder();
        using var createdump = StartCreatedump(folder);
        using var watch = new CreatedumpWatch(Environment.ProcessId, TimeSpan.FromMilliseconds(1));
        Wait.Until(() => createdump.HasExited);
        Assert.Equal(128 + 9, createdump.ExitCode);
        Assert.True(watch.End());
    }

    [Fact]
    public void End_ItHasTimeLeft_LeavesIt()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Looks into /proc.");
        using var folder = new TemporaryFolder();
        using var createdump = StartCreatedump(folder);
        using (var watch = new CreatedumpWatch(Environment.ProcessId, Wait.Limit))
        {
            Assert.False(watch.End());
        }

        Assert.False(createdump.HasExited);
        createdump.Kill();
    }

    [Fact]
    public void End_ThereIsNone_HasEndedNone()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Looks into /proc.");
        using var watch = new CreatedumpWatch(Environment.ProcessId, TimeSpan.FromMilliseconds(1));
        Assert.False(watch.End());
    }

    // The kernel takes the name of a program from the link by which it was started.
    private static Process StartCreatedump(TemporaryFolder folder)
    {
        var link = folder.PathOf("createdump");
        File.CreateSymbolicLink(link, "/bin/sh");
        return Process.Start(new ProcessStartInfo(link, ["-c", "read -r line"]) { RedirectStandardInput = true })!;
    }
}
