using System.Diagnostics.CodeAnalysis;

namespace NumaSharp.Core.Topology;

/// <summary>Finds a process's cgroup in /proc/self/cgroup (cgroups(7)): lines of "hierarchy:controllers:path".</summary>
internal static class CgroupPath
{
    private const int MaxLength = 4096;

    /// <summary>
    /// Whether a path can be below a mount: ".." stands for a cgroup outside of the process's cgroup namespace
    /// (cgroup_namespaces(7)).
    /// </summary>
    public static bool IsVisible(string path) =>
        path.StartsWith('/') && path.Length <= MaxLength && !path.Split('/').Contains("..");

    public static bool TryFind(
        ReadOnlySpan<char> text, string controller, bool isVersion2, [NotNullWhen(true)] out string? path)
    {
        foreach (var line in text.EnumerateLines())
        {
            var first = line.IndexOf(':');
            var second = first < 0 ? -1 : line[(first + 1)..].IndexOf(':');
            if (second < 0)
            {
                continue;
            }

            var controllers = line.Slice(first + 1, second);
            if (isVersion2 ? line.StartsWith("0::", StringComparison.Ordinal) : Has(controllers, controller))
            {
                path = line[(first + second + 2)..].ToString();
                return true;
            }
        }

        path = null;
        return false;
    }

    private static bool Has(ReadOnlySpan<char> controllers, string controller)
    {
        foreach (var range in controllers.Split(','))
        {
            if (controllers[range].SequenceEqual(controller))
            {
                return true;
            }
        }

        return false;
    }
}
