namespace NumaSharp.TestKit.Tests;

public sealed class TemporaryFolderTests
{
    [Fact]
    public void DeleteOldFolders_OfTestsThatWereKilled_LeavesTheOthers()
    {
        using var folder = new TemporaryFolder();
        var name = Path.GetFileName(folder.Path);
        string[] left = [$"{name}-left", $"{name}-begun-old"];
        string[] others = [$"{name}-now", "numasharp-root-1"];
        foreach (var each in (string[])[.. left, .. others])
        {
            Directory.CreateDirectory(Path.Join(folder.PathOf(each), "sys"));
        }

        foreach (var each in (string[])[.. left, "numasharp-root-1"])
        {
            Directory.SetLastWriteTimeUtc(folder.PathOf(each), DateTime.UtcNow.AddDays(-2));
        }

        TemporaryFolder.DeleteOldFolders(folder.Path);

        Assert.Equal(others.Order(), Directory.GetDirectories(folder.Path).Select(Path.GetFileName).Order());
    }

    [Fact]
    public void InMemory_TwoAtATime_AreTwoFoldersThatAreDeletedWithWhatIsInThem()
    {
        using var one = TemporaryFolder.InMemory();
        string other;
        using (var folder = TemporaryFolder.InMemory())
        {
            other = folder.Path;
            File.WriteAllText(folder.PathOf("file"), "text");
        }

        Assert.NotEqual(one.Path, other);
        Assert.True(Directory.Exists(one.Path));
        Assert.False(Directory.Exists(other));
    }
}
