using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.Loader;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

/// <summary>
/// The assemblies of one plugin. The contracts, and the assemblies its container exposes, are the host's own, whatever copies lie
/// beside the plugin: the providers of a second NumaSharp would have different types. All its other assemblies are private.
/// </summary>
internal sealed class PluginLoadContext : AssemblyLoadContext
{
    private static readonly Assembly[] s_shared =
    [
        typeof(INumaPlugin).Assembly,
        typeof(IServiceCollection).Assembly,
        typeof(ILoggerFactory).Assembly,
        typeof(IConfiguration).Assembly,
        typeof(IChangeToken).Assembly,
    ];

    private readonly AssemblyDependencyResolver _resolver;
    private readonly PluginFolder _folder;

    public PluginLoadContext(string realPath, PluginFolder folder)
        : base($"NumaSharp plugin {Path.GetFileName(realPath)}")
    {
        // The resolver opens it, and would block forever on a FIFO.
        if (Path.ChangeExtension(realPath, ".deps.json") is var list && File.Exists(list))
        {
            folder.Find(list);
        }

        _resolver = new AssemblyDependencyResolver(realPath);
        _folder = folder;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Plugins are refused where code cannot be loaded.")]
    public Assembly LoadImage(byte[] image)
    {
        using var stream = new MemoryStream(image, writable: false);
        return LoadFromStream(stream);
    }

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (Array.Find(s_shared, shared => shared.GetName().Name == assemblyName.Name) is { } host)
        {
            return host;
        }

        return _resolver.ResolveAssemblyToPath(assemblyName) is { } path
            ? LoadImage(PluginFile.Read(_folder.Find(path)))
            : null;
    }

    protected override nint LoadUnmanagedDll(string unmanagedDllName) =>
        _resolver.ResolveUnmanagedDllToPath(unmanagedDllName) is { } path
            ? LoadUnmanagedDllFromPath(_folder.Find(path))
            : 0;
}
