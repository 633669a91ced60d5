using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;

namespace NumaSharp.Aspire.Hosting;

/// <summary>The fence of a container: the engine's cpuset, which its application cannot leave.</summary>
internal static class NumaContainer
{
    public static void Fence(IResourceBuilder<ContainerResource> builder, NumaResourceOptions options)
    {
        var application = builder.ApplicationBuilder;
        builder.WithContainerRuntimeArgs(context =>
        {
            var limits = NumaContainerLimits.From(options, NumaMachine.OfContainers(application.Resources));
            foreach (var argument in limits.ToArguments())
            {
                context.Args.Add(argument);
            }
        });
    }
}
