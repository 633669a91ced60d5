namespace NumaSharp.TestKit;

/// <summary>The folder of a cgroup that a test has made for a process.</summary>
public static class CgroupFolder
{
    /// <summary>Removes it, after the process, if it is there.</summary>
    public static void Remove(string folder)
    {
        if (Directory.Exists(folder))
        {
            // The kernel takes the files with it. Busy for as long as the kernel is still at the end of the process.
            Wait.Until(() => TryRemove(folder), () => $"{folder} is left behind");
        }
    }

    private static bool TryRemove(string folder)
    {
        try
        {
            Directory.Delete(folder);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
