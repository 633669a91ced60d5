namespace Aspire.Hosting.ApplicationModel;

/// <summary>The settings that <c>WithNuma</c> passes to a resource; one per resource. Only <c>WithNuma</c> adds it.</summary>
public sealed class NumaAnnotation : IResourceAnnotation
{
    internal NumaAnnotation(NumaResourceOptions options) => Options = options;

    /// <summary>The settings. They are read when the application starts or is published.</summary>
    public NumaResourceOptions Options { get; }
}
